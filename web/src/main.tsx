import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Failure } from "./api/failure";
import { router } from "./app/router";
import "./styles.css";

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // Live events say what is old; this is for what no event tells of.
      staleTime: 10_000,
      // Hindcast may run on this very machine: whether there is a network besides says nothing about it.
      networkMode: "always",
      retry: (count, failure) => failure instanceof Failure && failure.isPassing && count < 2,
      refetchOnWindowFocus: true,
    },
    mutations: { retry: false, networkMode: "always" },
  },
});

const place = document.getElementById("root");
if (place) {
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}

import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const api = process.env.HINDCAST_URL ?? "http://127.0.0.1:4318";

// The bundle is compared byte for byte with the committed one, so nothing in it may depend on where or when it is built.
export default defineConfig({
  plugins: [react(), tailwindcss()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    outDir: fileURLToPath(new URL("../src/hindcast/static", import.meta.url)),
    emptyOutDir: true,
    // Says which page loads what, for the test that holds every page to its budget.
    manifest: true,
    target: "es2022",
    // A font or an icon inside a style sheet could not be kept by itself, and data: URLs would have to be allowed.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
  },
  server: { proxy: { "/api": { target: api, changeOrigin: false }, "/v1": api, "/openapi.json": api } },
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/testing.ts"],
    restoreMocks: true,
  },
} as Parameters<typeof defineConfig>[0]);

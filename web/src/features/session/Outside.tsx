import type { ReactNode } from "react";
import { Mark } from "@/ui/Mark";

/** A page for whoever is not signed in. */
export function Outside({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="mx-auto flex min-h-full w-full max-w-[380px] flex-col justify-center gap-5 px-5 py-10">
      <div className="flex items-center gap-2.5 text-lead font-semibold">
        <Mark /> Hindcast
      </div>
      <h1 className="text-title font-semibold">{title}</h1>
      {children}
    </main>
  );
}

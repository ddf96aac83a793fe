import type { ReactNode } from "react";

/** The head of a part of the settings. */
export function Section({ title, about, children }: { title: string; about: ReactNode; children: ReactNode }) {
  return (
    <>
      <div>
        <h1 className="text-title font-semibold">{title}</h1>
        <p className="text-fg2">{about}</p>
      </div>
      {children}
    </>
  );
}

/** A list with hairlines. */
export function Rows({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul
      aria-label={label}
      className="overflow-hidden rounded-card border border-line bg-s1 [&>li]:border-b [&>li]:border-line [&>li]:px-4 [&>li]:py-2.5 [&>li]:last:border-b-0"
    >
      {children}
    </ul>
  );
}

import type { ReactNode } from "react";
import { Dialog } from "@/ui/Dialog";

/** The navigation of a small screen. Whoever follows a link has arrived, and it closes. */
export default function NarrowMenu({ close, children }: { close: () => void; children: ReactNode }) {
  return (
    <Dialog isOpen close={close} title="Hindcast" isSheet className="w-72!">
      <div
        onClickCapture={(event) => {
          if ((event.target as Element).closest("a")) close();
        }}
        className="flex flex-col gap-4"
      >
        {children}
      </div>
    </Dialog>
  );
}

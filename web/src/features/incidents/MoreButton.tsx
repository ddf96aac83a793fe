import { Ellipsis } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { Button } from "@/ui/Button";
import type { MoreProps } from "./More";

const fetchMore = () => import("./More");
const More = lazy(fetchMore);

/** Opens the menu of what is decided rarely. A menu weighs as much as the page; it is fetched by whoever reaches for it. */
export function MoreButton(props: MoreProps) {
  const [isAsked, setAsked] = useState(false);
  const button = (
    <Button
      size="icon"
      aria-label="More to decide"
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={() => void fetchMore()}
      onFocus={() => void fetchMore()}
      onClick={() => setAsked(true)}
      onKeyDown={(event) => {
        if (event.key !== "ArrowDown") return;
        event.preventDefault();
        setAsked(true);
      }}
    >
      <Ellipsis className="size-4" />
    </Button>
  );
  if (!isAsked) return button;
  return (
    <Suspense fallback={button}>
      <More {...props} />
    </Suspense>
  );
}

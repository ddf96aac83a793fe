import { useNow } from "@/lib/now";
import { absolute, relative, since } from "@/lib/time";

/** A moment as people say it, with the whole of it on hover. */
export function Time({ at, className }: { at: string | null | undefined; className?: string }) {
  const now = useNow();
  if (!at) return null;
  return (
    <time dateTime={at} title={absolute(at)} className={className}>
      {relative(at, now)}
    </time>
  );
}

/** How long ago something began, without "ago". */
export function Since({ at, className }: { at: string; className?: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={absolute(at)} className={className}>
      {since(at, now)}
    </time>
  );
}

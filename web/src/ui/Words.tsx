import { Fragment } from "react";

/** A sentence in which `names` stand between backticks, as the API writes them. */
export function Words({ text }: { text: string }) {
  return text
    .split(/`([^`]+)`/)
    .map((part, place) =>
      place % 2 === 1 ? <code key={place}>{part}</code> : <Fragment key={place}>{part}</Fragment>,
    );
}

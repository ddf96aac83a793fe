import { type ClassValue, clsx } from "clsx";

/** Class names, the false ones left out. Nothing is merged: a part takes `className` for what it does not set itself. */
export function cn(...classes: ClassValue[]): string {
  return clsx(classes);
}

import { keep, kept } from "./kept";
import { Store } from "./store";

/** Times as people say them. Everything takes `now`, so that a test can say when it is. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export type Zone = "utc" | "local";

/** In which zone times are shown; a browser remembers it. */
export const zone = new Store<Zone>(kept("zone") === "local" ? "local" : "utc");

export function showIn(value: Zone): void {
  keep("zone", value === "utc" ? "" : value);
  zone.set(value);
}

const CLOCK = { hour: "2-digit", minute: "2-digit", second: "2-digit" } as const;
const DATE = { day: "numeric", month: "short", year: "numeric" } as const;
const ABSOLUTE = { weekday: "short", ...DATE, ...CLOCK } as const;
const LONG_DATE = { weekday: "long", day: "numeric", month: "long" } as const;
const LINE = { ...CLOCK, fractionalSecondDigits: 3 } as const;

const formats: Record<Zone, Map<object, Intl.DateTimeFormat>> = { utc: new Map(), local: new Map() };

function write(at: string | Date, options: Intl.DateTimeFormatOptions, where: Zone = zone.value): string {
  const known = formats[where];
  let format = known.get(options);
  if (!format) {
    format = new Intl.DateTimeFormat("en-GB", where === "utc" ? { ...options, timeZone: "UTC" } : options);
    known.set(options, format);
  }
  return format.format(new Date(at));
}

function seconds(from: string | Date, to: Date): number {
  return (to.getTime() - new Date(from).getTime()) / 1000;
}

/** "4 min ago", "6 weeks ago", "in 3 h". */
export function relative(at: string | Date, now: Date): string {
  const past = seconds(at, now);
  const size = Math.abs(past);
  if (size < 5) return "just now";
  const words = span(size, true);
  return past >= 0 ? `${words} ago` : `in ${words}`;
}

/** "4 min", "1 h 20 min", "6 weeks"; the same with one unit only when it is for a glance. */
export function span(size: number, isShort = false): string {
  if (size < MINUTE) return `${Math.round(size)} s`;
  if (size < HOUR) return `${Math.floor(size / MINUTE)} min`;
  if (size < DAY) {
    const hours = Math.floor(size / HOUR);
    const minutes = Math.floor((size % HOUR) / MINUTE);
    return isShort || minutes === 0 ? `${hours} h` : `${hours} h ${minutes} min`;
  }
  const days = Math.floor(size / DAY);
  if (days < 14) return days === 1 ? "1 day" : `${days} days`;
  if (days < 60) return `${Math.floor(days / 7)} weeks`;
  if (days < 730) return `${Math.floor(days / 30.4)} months`;
  return `${Math.floor(days / 365)} years`;
}

/** How long something lasted, from minutes as the API tells them. */
export function minutes(value: number): string {
  return span(value * MINUTE);
}

/** How long ago something began. */
export function since(at: string | Date, now: Date): string {
  return span(Math.max(0, seconds(at, now)));
}

/** The whole moment, with its zone; in local time with UTC beside it, by which everybody else speaks of it. */
export function absolute(at: string | Date): string {
  if (zone.value === "utc") return absoluteUtc(at);
  return `${write(at, ABSOLUTE)} local time (${write(at, CLOCK, "utc")} UTC)`;
}

/** The same for texts that leave this browser. */
export function absoluteUtc(at: string | Date): string {
  return `${write(at, ABSOLUTE, "utc")} UTC`;
}

export function date(at: string | Date): string {
  return write(at, DATE);
}

export function longDate(at: string | Date): string {
  return write(at, LONG_DATE);
}

export function clock(at: string | Date, where: Zone = zone.value): string {
  return write(at, CLOCK, where);
}

/** The time of day with its milliseconds, of a time as the API writes it. */
export function clockOf(time: string): string {
  return Number.isNaN(Date.parse(time)) ? time : write(time, LINE);
}

/** A place on a timeline: "+06:20" of minutes and seconds, "−1:00:08" with hours. */
export function offset(at: string | Date, zero: string | Date): string {
  const size = Math.round(seconds(zero, new Date(at)));
  const sign = size < 0 ? "−" : "+";
  const [hours, rest] = [Math.floor(Math.abs(size) / HOUR), Math.abs(size) % HOUR];
  const short = `${String(Math.floor(rest / 60)).padStart(2, "0")}:${String(rest % 60).padStart(2, "0")}`;
  return hours > 99 ? `${sign}${Math.floor(hours / 24)} d` : hours > 0 ? `${sign}${hours}:${short}` : `${sign}${short}`;
}

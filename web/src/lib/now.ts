import { Store, useStore } from "./store";

/** One clock for the whole page: it ticks once a second while somebody looks, so ages never disagree. */
const clock = new Store(new Date());
let lookers = 0;
let timer: ReturnType<typeof setInterval> | undefined;

const listen = clock.listen;
clock.listen = (listener) => {
  const leave = listen(listener);
  lookers += 1;
  if (timer === undefined) {
    clock.set(new Date());
    timer = setInterval(() => clock.set(new Date()), 1000);
  }
  return () => {
    leave();
    lookers -= 1;
    if (lookers === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
};

/** The present, to the second. */
export function useNow(): Date {
  return useStore(clock);
}

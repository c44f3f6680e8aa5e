/** What is asked again and again while a page is read is found once. No code of the page runs meanwhile, so nothing in it changes. */

let reading = 0;
let isReading = false;

/** Runs `read`, which waits for nothing. One within another one is a part of it. */
export const whileReading = <T>(read: () => T): T => {
  if (isReading) return read();
  reading += 1;
  isReading = true;
  try {
    return read();
  } finally {
    isReading = false;
  }
};

/** Whether a page is being read. */
export const isInReading = (): boolean => isReading;

/** `find`, which is called once for each element in a reading, and each time outside of one. */
export const onceInReading = <E extends object, T>(find: (element: E) => T): ((element: E) => T) => {
  let known = new WeakMap<E, T>();
  let knownIn = 0;
  return (element) => {
    if (!isReading) return find(element);
    if (knownIn !== reading) known = new WeakMap();
    knownIn = reading;
    const found = known.get(element);
    if (found !== undefined) return found;
    const value = find(element);
    known.set(element, value);
    return value;
  };
};

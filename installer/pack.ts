/** Many files in one asset of the executable, as companion/lib/own-scripts.ts reads them: the list's length, a line for each, and then all contents. */
export const pack = (files: ReadonlyMap<string, Buffer>): Buffer => {
  const list = Buffer.from([...files].map(([name, { length }]) => `${name} ${length}`).join('\n'));
  const head = Buffer.alloc(4);
  head.writeUInt32LE(list.length);
  return Buffer.concat([head, list, ...files.values()]);
};

/** Lines no agent should write: pieces of good ones, known methods with wrong params, broken JSON, deep nesting. */
export const malformedLines = function* (good: readonly string[], methods: readonly string[], count: number): Generator<string> {
  const text = good.join('\n');
  let seed = 1;
  const random = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const pick = <T>(from: readonly T[]): T => {
    const picked = from[random(from.length)];
    if (picked === undefined) throw new Error('nothing to pick from');
    return picked;
  };
  for (let index = 0; index < count; index++) {
    const at = random(Math.max(1, text.length - 400));
    const piece = text.slice(at, at + 1 + random(400)).split('\n')[0] ?? '';
    const params = pick([
      `${random(1e6)}`,
      'null',
      '[]',
      '{}',
      JSON.stringify(piece),
      JSON.stringify({ item: piece, update: piece, threadId: 5 }),
    ]);
    yield pick([
      piece,
      `{"method":"${pick(methods)}","params":${params}}`,
      `{"id":${random(9)},"method":"${pick(methods)}","params":${params}}`,
      `{"id":${100 + random(9)},"result":${params}}`,
      `{"id":{},"error":${params}}`,
      '['.repeat(random(2000)),
      'null',
      '"\\u0000"',
      '{}',
      '',
    ]);
  }
};

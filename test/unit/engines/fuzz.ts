/** Faults in what an agent or a model server writes: for tests that nothing it can write does harm. */

export type Random = (below: number) => number;

/** Names that every object has by nature: none of them may reach a function. */
export const PROTOTYPE_NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'] as const;

const JUNK = [null, true, -1, 1e308, '', 'x'.repeat(5000), '\u0000\u001b[31m', [], {}, [null], { type: {} }, { id: [] }, '9', 0.5] as const;

/** One value with one fault, at a random depth: another value, a key that is gone, or a key or value named like a method of every object. */
export const spoil = (value: unknown, random: Random): unknown => {
  const name = PROTOTYPE_NAMES[random(PROTOTYPE_NAMES.length)] ?? '';
  const isLeaf = typeof value !== 'object' || value === null || Object.keys(value).length === 0;
  if (isLeaf) return random(3) === 0 ? name : JUNK[random(JUNK.length)];
  if (random(4) === 0) return JUNK[random(JUNK.length)];
  const keys = Object.keys(value);
  const chosen = keys[random(keys.length)] ?? '';
  const entries = Object.entries(value).flatMap(([key, inner]) => {
    if (key !== chosen) return [[key, inner]];
    const fault = random(6);
    if (fault <= 1) return [];
    if (fault === 2) return [[name, inner]];
    return [[key, spoil(inner, random)]];
  });
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
};

/** Lines with faults: most are whole, some are spoiled, doubled, left out, cut, or in another place. */
export const spoilLines = (lines: readonly string[], random: Random): string[] => {
  const faulty = lines.flatMap((line) => {
    switch (random(12)) {
      case 0:
        return [];
      case 1:
        return [line, line];
      case 2:
        return [line.slice(0, random(line.length + 1))];
      case 3:
      case 4:
        return [JSON.stringify(spoil(JSON.parse(line), random))];
      case 5:
        return [line, lines[random(lines.length)] ?? ''];
      default:
        return [line];
    }
  });
  return random(3) === 0 ? faulty.slice(0, random(faulty.length + 1)) : faulty;
};

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
      JSON.stringify({ sessionId: 'session-1', update: { sessionUpdate: pick(PROTOTYPE_NAMES) } }),
    ]);
    yield pick([
      piece,
      `{"method":"${pick([...methods, ...PROTOTYPE_NAMES])}","params":${params}}`,
      `{"id":${random(9)},"method":"${pick([...methods, ...PROTOTYPE_NAMES])}","params":${params}}`,
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

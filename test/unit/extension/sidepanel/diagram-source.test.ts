/** Mermaid that is drawn says all that its source says; any other stays code. */
import { renderMermaid } from 'beautiful-mermaid';
import { describe, expect, test } from 'vitest';
import { toDrawable, withSigns } from '#extension/sidepanel/diagram-source.ts';

/** The texts of the picture, and how many arrows it has. */
const drawn = async (source: string): Promise<{ texts: string[]; arrows: number } | null> => {
  const drawable = toDrawable(source);
  if (drawable === null) return null;
  const svg = withSigns(await renderMermaid(drawable));
  return { texts: [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text ?? ''), arrows: svg.split('marker-end').length - 1 };
};

describe('a flow chart', () => {
  test('has each arrow and each label, however it is written', async () => {
    const picture = await drawn(
      `---
title: x
---
flowchart LR;
  A[Start]-->B{"Is f(x) > [0]?"}
  B -- yes it is --> C(["a<br/>b"]):::hot
  B -->|"no"|D & E;
  subgraph box ["The #quot;box#quot;"]
    D-.->F[/in/]
  end
  开始 ==> 结束[完成了]
  %% a remark
  style A fill:#f9f
  click A "javascript:alert(1)"`,
    );

    expect(picture?.texts.toSorted()).toEqual(
      ['Start', 'Is f(x) &gt; [0]?', 'yes it is', 'a b', 'no', 'no', 'D', 'E', 'The &quot;box&quot;', 'in', '开始', '完成了'].toSorted(),
    );
    expect(picture?.arrows).toBe(6);
  });

  test('keeps the label that an element is given later', async () => {
    expect((await drawn('graph TD\nA --> B\nA[First]\nB[Second]'))?.texts).toEqual(['First', 'Second']);
  });
});

test.each([
  ['stateDiagram-v2\n[*]-->Still\nstate "Moving fast" as Moving\nStill --> Moving : go', ['Still', 'Moving fast', 'go']],
  [
    'sequenceDiagram\nparticipant A as Alice\nloop daily\nA->>+B: press\nB--)A: done\nend\nNote over A,B: fine',
    ['Alice', 'B', 'loop [daily]', 'press', 'done', 'fine'],
  ],
  ['classDiagram\nAnimal <|-- Duck : is\nclass Duck {\n+int age\n}', ['Animal', 'Duck', 'is']],
  ['erDiagram\nCUSTOMER ||--o{ ORDER : places\nORDER {\nint id PK "key"\n}', ['CUSTOMER', 'ORDER', 'places']],
])('is drawn: %s', async (source, texts) => {
  expect((await drawn(source))?.texts).toEqual(expect.arrayContaining(texts));
});

test.each([
  'pie title Pets\n"Dogs" : 386',
  'gantt\ntitle A',
  'graph TD',
  'hello',
  '',
  'graph TD\nA --o B',
  'graph TD\nA --x B --> C',
  'graph TD\nA[one] --> B[[[ -->',
  'graph TD\nA@{ shape: rect }',
  'graph TD\nsubgraph s\nA-->B',
  'graph TD\nsubgraph s\nA-->B\nend\nC-->s',
  'stateDiagram-v2\nA --> B\nnote right of A : lost',
  'stateDiagram-v2\nA --> B\nstate "Later" as B',
  'sequenceDiagram\nA->>B: x\nbox Aqua\nend',
  'classDiagram\nnamespace n {\nclass A\n}',
  'classDiagram\nA --|> B',
  'erDiagram\nA ||--|| B : x\nlost',
  'graph TD\nconstructor --> __proto__\ntoString[[',
])('stays code, because some of it would be missing: %s', (source) => {
  expect(toDrawable(source)).toBeNull();
});

test('stays code when drawing it would take long', () => {
  const chain = Array.from({ length: 2000 }, (_, index) => `n${index} --> n${index + 1}`).join('\n');
  const all = Array.from({ length: 50 }, (_, index) => `n${index}`).join(' & ');
  const nested = `${'subgraph a\n'.repeat(40)}${'end\n'.repeat(40)}`;

  for (const lines of [chain, `${all} --> ${all}`, `A-->B\n${nested}`, `A["${'x'.repeat(9000)}"]`])
    expect(toDrawable(`graph TD\n${lines}`)).toBeNull();
});

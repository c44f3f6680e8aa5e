import { describe, expect, test } from 'vitest';
import { beyondFrame, stepsOf, wordsIn } from '#extension/shared/target-steps.ts';

const css = (selector: string, combinator = ' ') => ({ by: 'css', combinator, selector });
const whole = (text: string) => ({ how: 'whole', text });
const part = (text: string) => ({ how: 'part', text });
const near = (text: string) => ({ how: 'near', text });
const pattern = (text: string) => ({ how: 'pattern', text });

describe('a target', () => {
  test.each([
    ['#go > .a[title=":visible"]', [css('#go > .a[title=":visible"]')]],
    [String.raw`.sm\:visible`, [css(String.raw`.sm\:visible`)]],
    ['li, a:hover', [css('li, a:hover')]],
    ['text=Sign in', [{ by: 'text', words: near('Sign in') }]],
    ["text='Sign in'", [{ by: 'text', words: whole('Sign in') }]],
    ['text=Say "hi"', [{ by: 'text', words: near('Say "hi"') }]],
    ['text=Next >>', [{ by: 'text', words: near('Next >>') }]],
    ['"Sign in"', [{ by: 'text', words: whole('Sign in') }]],
    ['text="Sign in"i', [{ by: 'text', words: near('Sign in') }]],
    ['text=/sign (in|up)/i', [{ by: 'text', words: pattern('sign (in|up)') }]],
    ['text=//', [{ by: 'text', words: near('//') }]],
    [String.raw`label="say \"x\""`, [{ by: 'label', words: whole('say "x"') }]],
    ['placeholder=/mail/', [{ by: 'placeholder', words: pattern('mail') }]],
    ['role=button', [{ by: 'role', role: 'button', name: null }]],
    ['role=button[name="Go"]', [{ by: 'role', role: 'button', name: whole('Go') }]],
    ["role=button[name='Go'i]", [{ by: 'role', role: 'button', name: near('Go') }]],
    ['role=button[name=Go]', [{ by: 'role', role: 'button', name: whole('Go') }]],
    ['role=button[name=/g[o\\]]/i]', [{ by: 'role', role: 'button', name: pattern('g[o\\]]') }]],
    [
      'role=heading[name*="Go"][level=2]',
      [
        { by: 'role', role: 'heading', name: part('Go') },
        { by: 'fits', selector: ':is(h2, [aria-level="2"])' },
      ],
    ],
    ['#list >> text=/b/ >> nth=-1', [css('#list'), { by: 'text', words: pattern('b') }, { by: 'nth', index: -1 }]],
    ['ul >> > li >> ..', [css('ul'), css('li', '>'), { by: 'parent' }]],
    ['text="a >> b"', [{ by: 'text', words: whole('a >> b') }]],
    ['id=mail >> visible=true', [css('[id="mail"]'), { by: 'visible' }]],
    ['tr >> has-text="Ada" >> has-not-text=old', [css('tr'), { by: 'holds', words: part('Ada') }, { by: 'holdsNot', words: part('old') }]],
    ['button:has-text("Go now")', [css('button'), { by: 'holds', words: part('Go now') }]],
    [':text("Go")', [css('*'), { by: 'says', words: part('Go') }]],
    ["b.x:text-is('Go')", [css('b.x'), { by: 'says', words: whole('Go') }]],
    ['b:text-matches("G.*", "i")', [css('b'), { by: 'says', words: pattern('G.*') }]],
    [
      'li.row:has-text("B > C"):not(.old) > button:visible',
      [css('li.row:not(.old)'), { by: 'holds', words: part('B > C') }, css('button', '>'), { by: 'visible' }],
    ],
    ['label:has-text("Mail") + input', [css('label'), { by: 'holds', words: part('Mail') }, css('input', '+')]],
  ] as const)('%s is read as its steps', (target, steps) => {
    expect(stepsOf(target)).toEqual(steps);
  });

  test.each([
    'a:has-text("x"), b',
    'li:not(:has-text("x"))',
    ':is(a, b:has-text("x"))',
    'a:has-text()',
    'role=button[name=/x',
    'role=button[fancy=true]',
    'frobnicate=1',
    'a >> nth=x',
    'text=""',
    'label=" "i',
    "''",
    '',
  ])('%s is not guessed at', (target) => {
    expect(stepsOf(target)).toBeNull();
  });

  test('that is nothing but words can be looked for in a list; a chain or a pattern cannot', () => {
    expect(wordsIn('text=Row 900')).toBe('Row 900');
    expect(wordsIn('text="Row 900"i')).toBe('Row 900');
    expect(wordsIn('text=/Row/')).toBeNull();
    expect(wordsIn('#list >> text=Row')).toBeNull();
    expect(wordsIn('#list')).toBeNull();
  });

  test.each([
    ['iframe >> #go', '#go'],
    ['iframe[name="pay"] >> nth=0 >> text=Go >> nth=1', 'text=Go >> nth=1'],
    ['#pay >> internal:control=enter-frame >> frame >> internal:control=enter-frame >> role=button', 'role=button'],
    ['iframe', null],
    ['iframe >> nth=1', null],
    ['#iframe >> #go', null],
    ['iframe + div >> #go', null],
  ])('%s means %s in a frame', (target, inside) => {
    expect(beyondFrame(target)).toBe(inside);
  });

  test.each(['"', "'", '=/', '=/[', '(', ':is(', '\\', '>> ', '[a="', ':text("', 'a:text(('])(
    'made of 2,000 characters of %s is read at once',
    (piece) => {
      const target = `:visible${piece.repeat(2_000)}`.slice(0, 2_000);
      const startedAt = process.cpuUsage();

      void stepsOf(target);
      void stepsOf(`role=button${target}`.slice(0, 2_000));

      const { user, system } = process.cpuUsage(startedAt);
      expect((user + system) / 1000).toBeLessThan(1_000);
    },
  );
});

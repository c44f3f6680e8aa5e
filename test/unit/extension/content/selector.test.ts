import { describe, expect, test } from 'vitest';
import { probeIn } from '#extension/content/selector.ts';

describe('a selector from outside', () => {
  test.each([
    '#pay > button:nth-of-type(2)',
    'input[name="email"]',
    'a[href^="/shop"][aria-current]',
    'li:has([data-testid="row"]) button[disabled]',
    String.raw`.w-\[3px\] > .md\:flex`,
    'a[title="[value^=1]"]',
    'input:placeholder-shown',
    'form:has(input:valid)',
    '[data-n="2"]',
    '.row[row-index="3"] > [col-id=price]',
    'td[data-date="2026-12-24"]',
    'x-field[label=Box] input',
    '[data-key="spin"]',
    `a[title='it\\'s "[value^=1]"']`,
  ])('may ask how a page is built: %s', (selector) => {
    expect(probeIn(selector)).toBeNull();
  });

  test.each([
    'input[value^="h"]',
    'input[value]',
    'INPUT[ VALUE $= x i]',
    '[*|value^=a]',
    '[|value^=a]',
    String.raw`[\76 alue^=a]`,
    String.raw`[v\61lue^=a]`,
    '[/**/value^=a]',
    '/* " */ [value^=a] /* " */',
    ':is(input:not([value^=a]))',
    'a[title="x\\"] "][value^=a]',
    "a[title='\"'][value^=a]",
    'input[value^="a',
    '[data-secret^=a]',
    '[data-n^="2"]',
    '[data-secret="a"]',
    '[data-csrf-token="a"]',
    '[data-userPin="1234"]',
    '[data-otp=123456]',
    'meta[content="a"]',
    'script[nonce=a]',
    ':is([data-n="1"], [data-n="2"], [data-n="3"], [data-n="4"])',
    '[aria-valuetext^=a]',
    '[role=spinbutton][aria-valuenow^="4"]',
    'meta[content^=a]',
    'form:has([type=password][value*="ab"])',
    String.raw`.\"[value^=a]`,
    'form:has(> :is([value^=a], b))',
    ':where(:valid[value$=b])',
    'input:nth-child(1 of [value*=c])',
    String.raw`[val\ue^=a]`,
    String.raw`[v\000061lue^=a]`,
    'input:placeholder-shown:not([Value="a" s])',
  ])('may not ask what is held: %s', (selector) => {
    expect(probeIn(selector)).not.toBeNull();
  });
});

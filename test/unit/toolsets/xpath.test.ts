import { describe, expect, test } from 'vitest';
import { targetFromXPath } from '#companion/toolsets/xpath.ts';

describe('XPath', () => {
  for (const [xpath, target] of [
    ['//button', 'button'],
    ['/html/body/div[2]/form/input[1]', 'html:root > body > div:nth-of-type(2) > form > input:nth-of-type(1)'],
    [`//*[@id="main"]//a[@href='/shop']`, '*[id="main"] a[href="/shop"]'],
    [`//input[@type='text' and @name="a and b"]`, 'input[type="text"][name="a and b"]'],
    [`//div[contains(@class, 'card')]/*[3]`, 'div[class*="card"] > *:nth-child(3)'],
    [`//li[last()][@role='option']`, 'li:last-of-type[role="option"]'],
    [`//a[starts-with(@href, "/x")]`, 'a[href^="/x"]'],
    [`//button[text()='Sign in']`, 'text="Sign in"'],
    [`//*[normalize-space()="Sign in"]`, 'text="Sign in"'],
    [`//button[contains(., 'Save')]`, 'button:has-text("Save")'],
    [
      `//*[@role="dialog"]//button[contains(normalize-space(.), "Save") and @type='submit']`,
      '*[role="dialog"] button:has-text("Save")[type="submit"]',
    ],
    [`//div[contains(text(), 'say "hi"')]`, String.raw`div:text("say \"hi\"")`],
    [`//form/button[.='Go']`, 'form > button:text-is("Go")'],
    ['(//a)[1]', 'a >> nth=0'],
    [`(//button[text()='Go'])[last()]`, 'text="Go" >> nth=-1'],
    [`//a[@title='say "hi"']`, String.raw`a[title="say \22 hi\22 "]`],
    ['//a/..', 'a >> ..'],
    [`//label[text()='Name']/following-sibling::input[1]`, 'label:text-is("Name") >> xpath=following-sibling::input[1]'],
    [`//td[contains(., 'Tea')]/ancestor::tr//button`, 'td:has-text("Tea") >> xpath=ancestor::tr >> button'],
    [`//td[.='Tea']/../td[2]`, 'td:text-is("Tea") >> .. >> > td:nth-of-type(2)'],
    [`//span[@id='x']/parent::div[@role="row"]/a`, 'span[id="x"] >> xpath=parent::div[role="row"] >> > a'],
    [`//i/ancestor::div[contains(@class,'card')][last()]`, 'i >> xpath=ancestor::div[class*="card"][last()]'],
    [`//li[@class='on']/preceding-sibling::li[@id]`, 'li[class="on"] >> xpath=preceding-sibling::li[id]'],
    ['//a | //button[@type="submit"]', 'a, button[type="submit"]'],
    ['(//a | //b)[2]', 'a, b >> nth=1'],
    ['//button[not(@disabled)]', 'button:not([disabled])'],
    [`//input[@name='a' or @id="b"]`, 'input:is([name="a"], [id="b"])'],
    [`//div[contains(concat(' ', normalize-space(@class), ' '), ' card ')]`, 'div[class~="card"]'],
    [`//*[name()='svg']/*[local-name()="path"]`, '*:is(svg) > *:is(path)'],
    ['//ul/child::li[position()=2]/descendant::a', 'ul > li:nth-of-type(2) a'],
  ] as const) {
    test(`${xpath} means ${target}`, () => {
      expect(targetFromXPath(xpath)).toBe(target);
    });
  }

  for (const xpath of [
    '/..',
    '//a/@href',
    '//a/following::b',
    `//a/following-sibling::b[.='x']`,
    `//a[.='x'] | //b`,
    `//a[@id='x' or .='y']`,
    `//a[not(contains(., 'x'))]`,
    `//a[@id='x'][2]`,
    `//a[contains(., 'x')][2]`,
    `//a[contains(., '')]`,
    '(//a',
    '//a[position()<3]',
    `//a[contains(@id,'')]`,
    '',
    'a[1',
  ]) {
    test(`${xpath || 'nothing'} says more than CSS can`, () => {
      expect(targetFromXPath(xpath)).toBeNull();
    });
  }
});

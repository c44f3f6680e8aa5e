import { describe, expect, test } from 'vitest';
import { toFileName } from '#extension/toolkit/file-name.ts';

describe('the name of a file that a tool saves', () => {
  test.each([
    ['page', 'page.md'],
    ['page.MD', 'page.md'],
    ['../../etc/passwd', 'etc passwd.md'],
    ['C:\\notes.md', 'C notes.md'],
    ['...', 'otherwise.md'],
    ['CON', '_CON.md'],
    ['nul.txt', '_nul.txt'],
    ['page.txt', 'page.txt'],
    ['Page.YML', 'Page.yml'],
    ['page.html', 'page.html.md'],
    ['console', 'console.md'],
    ['e\u0301te\u0301.md', '\u00E9t\u00E9.md'],
  ])('%s becomes %s', (given, name) => {
    expect(toFileName(given, 'md', 'otherwise')).toBe(name);
  });

  test.each([
    ['shot', 'shot.jpeg'],
    ['shot.jpg', 'shot.jpg'],
    ['Shot.JPEG', 'Shot.jpeg'],
    ['shot.png', 'shot.png.jpeg'],
  ])('%s becomes %s where it is a JPEG', (given, name) => {
    expect(toFileName(given, 'jpeg', 'otherwise')).toBe(name);
  });
});

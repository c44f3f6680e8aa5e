/** The name of a key as people write it. */
export const showKey = (key: string): string =>
  key
    .replace(/^C-/u, 'ctrl+')
    .replace(/^M-/u, 'alt+')
    .replace(/^S-/u, 'shift+')
    .replace('pageup', 'PgUp')
    .replace(/^home$/u, 'Home')
    .replace(/^end$/u, 'End')
    .replace('pagedown', 'PgDn')
    .replace('escape', 'Esc')
    .replace('enter', 'Enter')
    .replace('space', 'Space')
    .replace('tab', 'Tab')
    .replace(/^up$/u, '↑')
    .replace(/^down$/u, '↓');

/** The terminals of Linux desktops, in the order they are tried, and what stands between each and the program that is to run in it. */
export const emulators: readonly { readonly name: string; readonly before: readonly string[] }[] = [
  { name: 'xdg-terminal-exec', before: [] },
  { name: 'x-terminal-emulator', before: ['-e'] },
  { name: 'gnome-terminal', before: ['--'] },
  { name: 'kgx', before: ['--'] },
  { name: 'ptyxis', before: ['--'] },
  { name: 'konsole', before: ['-e'] },
  { name: 'xfce4-terminal', before: ['-x'] },
  { name: 'kitty', before: [] },
  { name: 'alacritty', before: ['-e'] },
  { name: 'foot', before: [] },
  { name: 'wezterm', before: ['start', '--'] },
  { name: 'xterm', before: ['-e'] },
];

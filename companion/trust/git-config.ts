/** A git configuration: what in it runs a program when somebody only looks, and where git looks further because of it. Pure. */

export interface GitConfig {
  /** The lines that start or redirect something, as they are written. */
  readonly lines: readonly string[];
  /** Further configuration files, as they are written. */
  readonly includes: readonly string[];
  /** Folders of hooks, as they are written. */
  readonly hooksPaths: readonly string[];
}

/** Reads `text` as git does. A line that is not understood counts as one that acts. */
export const readGitConfig = (text: string): GitConfig => {
  const lines: string[] = [];
  const includes: string[] = [];
  const hooksPaths: string[] = [];
  let section = '';
  // A value that goes on in the next line ends with a backslash, and so counts.
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    const [header = '', name = ''] = HEADER.exec(line) ?? [];
    if (header !== '') section = name.toLowerCase();
    const rest = line.slice(header.length).trim();
    const isInclude = section === 'include' || section === 'includeif';
    if (header !== '' && isInclude) lines.push(line.trimEnd());
    if (rest === '' || /^[#;]/.test(rest)) continue;
    const [, key, written = ''] = SETTING.exec(rest) ?? [];
    const value = toValue(written);
    if (isInclude && key?.toLowerCase() === 'path' && value !== null) includes.push(value);
    if (key?.toLowerCase() === 'hookspath' && value !== null) hooksPaths.push(value);
    else if (key === undefined || value === null || isInclude || isProgram(section, key.toLowerCase(), value)) lines.push(line.trimEnd());
  }
  return { lines, includes, hooksPaths };
};

const HEADER = /^\s*\[\s*([\w-]+)(?:\.[\w.-]+)?\s*(?:"(?:[^"\\]|\\.)*"\s*)?\]/;
const SETTING = /^([a-z][\w-]*)\s*(?:=\s*(.*))?$/i;

/** Null for a value that is composed in a way that only git itself needs to understand. */
const toValue = (written: string): string | null => {
  const [, quoted, bare] = /^(?:"([^"\\]*)"|([^"\\#;]*))\s*(?:[#;].*)?$/.exec(written) ?? [];
  return (quoted ?? bare)?.trim() ?? null;
};

const PROGRAMS =
  /^(?:alternaterefscommand|askpass|defaultkeycommand|external|gitproxy|pager|program|sshcommand|textconv|uploadpack|vcs|worktree)$/;

const isProgram = (section: string, key: string, value: string): boolean => {
  // When it is set to `true`, git starts its own program.
  if (key === 'fsmonitor') return !isSwitch(value);
  // Most filters are those of Git LFS.
  if (section === 'filter' && /^(?:clean|smudge|process)$/.test(key))
    return !/^git-lfs (?:clean|smudge|filter-process)(?: --)?(?: %f)?$/.test(value);
  if (section === 'pager') return !isSwitch(value);
  if (section === 'credential') return key === 'helper' && /[\s!/\\]/.test(value);
  return PROGRAMS.test(key) || (section === 'diff' && key === 'command');
};

const isSwitch = (value: string): boolean => /^(?:true|false|yes|no|on|off|0|1)?$/i.test(value);

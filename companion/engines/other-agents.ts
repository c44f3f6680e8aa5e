/** What is known of the files that agents obey which a person has added by themselves (`pilotfish engine add`). Data only. */
import path from 'node:path';
import { anyJson, anyLines, type OwnFolder, type ProjectTraits } from './project-traits.ts';

/** Folders in which some of them keep hooks, servers, permissions and skills of a project. */
const FOLDERS = `
  .amp .cline .clinerules .codebuddy .continue .copilot .crush .devin .factory .github/agents .github/copilot .github/hooks .github/skills .grok .iflow .junie
  .kilocode .kimi .kimi-code .kiro .openhands .pi .qoder .roo .rovodev .stakpak .trae .vibe .vtcode .windsurf
`;

/** What a command is called beside its agent's name. */
const ENDING = /[-_.](?:acp|agent|cli|code|exe|js|mjs|cjs|py|sh|cmd|bat)$/i;

/** What else has a folder, or a file, of such a name in a project. */
const NO_AGENT = /^(?:cache|config|docker|env|git|github|gitlab|hg|idea|node|ssh|svn|venv|vscode|yarn)$/;

/** `added` are the agents by their name and program: an agent's folder is mostly called as they are. */
export const traitsOfOthers = (added: readonly { readonly name: string; readonly command: string }[]): ProjectTraits => {
  const names = added
    .flatMap(({ name, command }) => [name, path.basename(command)])
    .flatMap(withoutEnding)
    .filter((name) => !NO_AGENT.test(name));
  const folders = [...FOLDERS.trim().split(/\s+/), ...names.map((name) => `.${name}`)];
  return {
    files: {
      '.github/lsp.json': anyJson,
      '.github/mcp.json': anyJson,
      '.vscode/mcp.json': anyJson,
      '.crush.json': anyJson,
      'crush.json': anyJson,
      '.aider.conf.yml': anyLines,
    },
    ownFolders: [...new Set(folders)].map((name): OwnFolder => ({ name })),
  };
};

/** Of `kimi-cli.exe` also `kimi-cli` and `kimi`. */
const withoutEnding = (name: string): string[] => {
  const given = name.toLowerCase();
  const rest = given.replace(ENDING, '');
  return rest === given ? [given] : [given, ...withoutEnding(rest)];
};

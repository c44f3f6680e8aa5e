/** The package for Debian and Ubuntu: the program, its entry in the menu, its manual page, completions, and the manifests for all users. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { browserPlaces } from '#native-manifests/browsers.ts';
import { manifestFileName, manifestText } from '#native-manifests/manifest.ts';
import { desktopEntry } from '#installer/register/desktop-entry.ts';
import { ar, tar, type Entry } from './archives.ts';

/** What is made before it is packed. */
export interface Program {
  readonly version: string;
  readonly executable: Buffer;
  readonly icon: Buffer;
  /** In the language of man(7). */
  readonly manual: string;
  readonly completions: Readonly<Record<'bash' | 'zsh' | 'fish', string>>;
  readonly license: string;
  /** The software bill of materials. */
  readonly sbom: string;
}

/** `name` is the end that dpkg knows the compression by. */
interface Compression {
  readonly name: 'xz' | 'gz';
  compress(bytes: Buffer): Promise<Buffer>;
}

/** Where the program lies; /usr/bin has a link to it. */
export const INSTALLED = '/usr/lib/pilotfish/pilotfish';

/** What the executable needs of the system, see the shared libraries that it names. libsecret is the way to a keychain. */
const DEPENDS = 'libc6 (>= 2.28), libstdc++6, libgcc-s1, libatomic1';
const RECOMMENDS = 'libsecret-1-0';

const architectures: ReadonlyMap<string, string> = new Map([
  ['x64', 'amd64'],
  ['arm64', 'arm64'],
]);

/** Debian's name of a processor that Node knows. */
export const debArchitecture = (arch: string): string => architectures.get(arch) ?? arch;

/** https://www.debian.org/doc/debian-policy/ch-binary.html */
export const makeDeb = async (program: Program, arch: string, seconds: number, { name, compress }: Compression): Promise<Buffer> => {
  const files = debFiles(program);
  const manifests = files.filter((entry) => entry.name.startsWith('etc/')).map((entry) => `/${entry.name}\n`);
  const control: Entry[] = [
    { name: 'control', content: Buffer.from(controlText(program.version, arch, files)) },
    { name: 'conffiles', content: Buffer.from(manifests.join('')) },
    { name: 'md5sums', content: Buffer.from(md5sums(files)) },
  ];
  return ar(
    [
      { name: 'debian-binary', content: Buffer.from('2.0\n') },
      { name: 'control.tar.gz', content: gzipSync(tar(control, './', seconds), { level: 9 }) },
      { name: `data.tar.${name}`, content: await compress(tar(files, './', seconds)) },
    ],
    seconds,
  );
};

const debFiles = ({ executable, icon, manual, completions, license, sbom }: Program): Entry[] => {
  const share = 'usr/share';
  const doc = `${share}/doc/pilotfish`;
  return [
    { name: INSTALLED.slice(1), content: executable, isExecutable: true },
    { name: 'usr/bin/pilotfish', linkTo: '../lib/pilotfish/pilotfish' },
    { name: `${share}/applications/pilotfish.desktop`, content: Buffer.from(desktopEntry('pilotfish', null)) },
    { name: `${share}/icons/hicolor/128x128/apps/pilotfish.png`, content: icon },
    { name: `${share}/man/man1/pilotfish.1.gz`, content: gzipSync(manual, { level: 9 }) },
    { name: `${share}/bash-completion/completions/pilotfish`, content: Buffer.from(completions.bash) },
    { name: `${share}/zsh/vendor-completions/_pilotfish`, content: Buffer.from(completions.zsh) },
    { name: `${share}/fish/vendor_completions.d/pilotfish.fish`, content: Buffer.from(completions.fish) },
    { name: `${doc}/copyright`, content: Buffer.from(license) },
    { name: `${doc}/sbom.cdx.json`, content: Buffer.from(sbom) },
    ...systemFolders().map((folder) => ({
      name: `${folder.slice(1)}/${manifestFileName}`,
      content: Buffer.from(manifestText(INSTALLED)),
    })),
  ];
};

/** Where browsers look for what is there for all users. */
const systemFolders = (): string[] => [...new Set(browserPlaces.flatMap(({ linux }) => linux?.systemDir ?? []))];

const controlText = (version: string, arch: string, files: readonly Entry[]): string => {
  const bytes = files.reduce((sum, entry) => sum + ('content' in entry ? entry.content.length : 0), 0);
  return [
    'Package: pilotfish',
    `Version: ${version}`,
    `Architecture: ${debArchitecture(arch)}`,
    'Maintainer: The Pilotfish authors <pilotfish@localhost>',
    `Installed-Size: ${Math.ceil(bytes / 1024)}`,
    `Depends: ${DEPENDS}`,
    `Recommends: ${RECOMMENDS}`,
    'Section: devel',
    'Priority: optional',
    'Description: coding agents that see and drive your browser',
    ' Pilotfish runs your coding agents, shows them in the side panel of Chrome and in',
    ' a terminal, and gives them your own browser through MCP.',
    '',
  ].join('\n');
};

/** dpkg checks installed files against it. */
const md5sums = (files: readonly Entry[]): string =>
  files
    .flatMap((entry) => ('content' in entry ? [`${createHash('md5').update(entry.content).digest('hex')}  ${entry.name}\n`] : []))
    .join('');

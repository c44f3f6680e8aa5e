/**
 * The software bill of materials, in the form of CycloneDX: every package of which code is inside the executable or the extension.
 * `npm sbom` lists what is installed instead, the build tools' own and what the bundler leaves out.
 */
import type { Metafile } from 'esbuild';
import * as z from 'zod';

const LockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      name: z.string().optional(),
      version: z.string().optional(),
      integrity: z.string().optional(),
      license: z.string().optional(),
    }),
  ),
});

/** Packages that say their licence in a file of theirs only. */
const LICENCES_IN_FILES: ReadonlyMap<string, string> = new Map([['khroma', 'MIT']]);

/** Folders below node_modules whose files are in the outputs with at least one byte. */
export const packageFolders = (metafiles: readonly Metafile[]): string[] => {
  const files = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap(({ inputs }) =>
      Object.entries(inputs)
        .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
        .map(([file]) => file),
    ),
  );
  const folders = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  return [...new Set(folders)].toSorted();
};

/** The bill for those folders, with versions, licences and hashes of package-lock.json. The same sources give the same bytes. */
export const makeSbom = (options: {
  readonly version: string;
  readonly nodeVersion: string;
  readonly folders: readonly string[];
  readonly lockFile: string;
}): string => {
  const { packages } = LockFile.parse(JSON.parse(options.lockFile));
  const components = options.folders.map((folder) => {
    const found = packages[folder];
    if (found?.version === undefined) throw new Error(`${folder} is in the program and not in package-lock.json`);
    const name = found.name ?? folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return toComponent({ ...found, license: found.license ?? LICENCES_IN_FILES.get(name), name, version: found.version });
  });
  const node = { type: 'platform', name: 'node', version: options.nodeVersion, purl: `pkg:generic/node@${options.nodeVersion}` };
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: { type: 'application', name: 'pilotfish', version: options.version, purl: `pkg:generic/pilotfish@${options.version}` },
    },
    components: [node, ...components],
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
};

const toComponent = (found: { name: string; version: string; integrity?: string | undefined; license?: string | undefined }): object => {
  const purl = `pkg:npm/${found.name.replace('@', '%40')}@${found.version}`;
  return {
    type: 'library',
    'bom-ref': purl,
    name: found.name,
    version: found.version,
    purl,
    ...(found.license === undefined ? {} : { licenses: [{ expression: found.license }] }),
    ...(found.integrity?.startsWith('sha512-') === true
      ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(found.integrity.slice('sha512-'.length), 'base64').toString('hex') }] }
      : {}),
  };
};

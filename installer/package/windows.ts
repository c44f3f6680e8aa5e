/** What a person on Windows downloads: the program with icon and version, a setup program and a portable one, made with NSIS. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Data, NtExecutable, NtExecutableResource, Resource } from 'resedit';
import { HOST_NAME } from '#protocol/version.ts';
import { browserPlaces } from '#native-manifests/browsers.ts';
import { manifestFileName, manifestText } from '#native-manifests/manifest.ts';

/** What both setup programs are made of. */
interface WindowsProgram {
  readonly executable: Buffer;
  readonly icon: Buffer;
  readonly license: string;
  readonly sbom: string;
}

/** Where Windows lists what can be uninstalled. */
const UNINSTALL_KEY = String.raw`Software\Microsoft\Windows\CurrentVersion\Uninstall\Pilotfish`;

/** Node's own executable with our icon and version in the place of its own, and without its signature, which would no longer hold. */
export const dressed = (node: Buffer, version: string, icon: Buffer): Buffer => {
  const program = NtExecutable.from(node, { ignoreCert: true });
  const resources = NtExecutableResource.from(program);
  const { entries } = resources;
  for (const info of Resource.VersionInfo.fromEntries(entries)) {
    info.setFileVersion(version);
    info.setProductVersion(version);
    for (const language of info.getAllLanguagesForStringValues()) {
      info.setStringValues(language, {
        ProductName: 'Pilotfish',
        FileDescription: 'Pilotfish',
        CompanyName: 'The Pilotfish authors',
        OriginalFilename: 'pilotfish.exe',
        InternalName: 'pilotfish',
        LegalCopyright: 'MIT licence',
      });
    }
    info.outputToResourceEntries(entries);
  }
  const pictures = Data.IconFile.from(icon).icons.map(({ data }) => data);
  for (const { id, lang } of Resource.IconGroupEntry.fromEntries(entries)) {
    Resource.IconGroupEntry.replaceIconsForResource(entries, id, lang, pictures);
  }
  resources.outputResource(program);
  return Buffer.from(program.generate());
};

/**
 * Installs for one user, without an administrator, and opens Pilotfish. The browsers of the list know the host at once; the program's own
 * `install` then does the same for those that it finds, and `uninstall` takes that back. Silent with /S.
 */
export const setupScript = (version: string): string => {
  const keys = [...new Set(browserPlaces.flatMap(({ win32 }) => win32?.registryKey ?? []))].map((key) => `${key}\\${HOST_NAME}`);
  return [
    ...head({ version, name: 'pilotfish-setup.exe', description: 'Pilotfish Setup', compressor: '/SOLID lzma' }),
    '!include LogicLib.nsh',
    String.raw`InstallDir "$LOCALAPPDATA\Programs\Pilotfish"`,
    'ShowInstDetails nevershow',
    'Page instfiles',
    'UninstPage uninstConfirm',
    'UninstPage instfiles',
    'Section',
    '  SetOutPath "$INSTDIR"',
    '  # A daemon of the version before keeps its own file open.',
    String.raw`  IfFileExists "$INSTDIR\pilotfish.exe" 0 +3`,
    String.raw`  nsExec::Exec '"$INSTDIR\pilotfish.exe" stop'`,
    '  Pop $0',
    '  ClearErrors',
    '  File pilotfish.exe',
    '  File LICENSE.txt',
    '  File sbom.cdx.json',
    `  File ${manifestFileName}`,
    '  ${If} ${Errors}',
    '    SetErrorLevel 2',
    '    Abort "Pilotfish could not be written. Close what uses it, then start the setup again."',
    '  ${EndIf}',
    ...keys.map((key) => `  WriteRegStr HKCU "${key}" "" "$INSTDIR\\${manifestFileName}"`),
    String.raw`  CreateShortcut "$SMPROGRAMS\Pilotfish.lnk" "$INSTDIR\pilotfish.exe"`,
    String.raw`  WriteUninstaller "$INSTDIR\uninstall.exe"`,
    ...Object.entries({
      DisplayName: 'Pilotfish',
      DisplayVersion: version,
      DisplayIcon: String.raw`$INSTDIR\pilotfish.exe`,
      Publisher: 'The Pilotfish authors',
      InstallLocation: '$INSTDIR',
      UninstallString: String.raw`$\"$INSTDIR\uninstall.exe$\"`,
      QuietUninstallString: String.raw`$\"$INSTDIR\uninstall.exe$\" /S`,
    }).map(([name, value]) => `  WriteRegStr HKCU "${UNINSTALL_KEY}" "${name}" "${value}"`),
    ...['NoModify', 'NoRepair'].map((name) => `  WriteRegDWORD HKCU "${UNINSTALL_KEY}" "${name}" 1`),
    String.raw`  nsExec::Exec '"$INSTDIR\pilotfish.exe" install'`,
    '  Pop $0',
    'SectionEnd',
    'Function .onInstSuccess',
    '  IfSilent +2',
    String.raw`  Exec '"$INSTDIR\pilotfish.exe"'`,
    'FunctionEnd',
    'Section Uninstall',
    String.raw`  nsExec::Exec '"$INSTDIR\pilotfish.exe" uninstall'`,
    '  Pop $0',
    ...keys.map((key) => `  DeleteRegKey HKCU "${key}"`),
    `  DeleteRegKey HKCU "${UNINSTALL_KEY}"`,
    String.raw`  Delete "$SMPROGRAMS\Pilotfish.lnk"`,
    ...['pilotfish.exe', 'pilotfish.old.exe', 'LICENSE.txt', 'sbom.cdx.json', manifestFileName, 'uninstall.exe'].map(
      (file) => `  Delete "$INSTDIR\\${file}"`,
    ),
    '  RMDir "$INSTDIR"',
    'SectionEnd',
    '',
  ].join('\n');
};

/** One file to carry about: it unpacks the program beside itself, once for each version, and starts it with its own arguments. */
export const portableScript = (version: string): string =>
  [
    // It unpacks at a start, so what unpacks fastest is best.
    ...head({ version, name: 'pilotfish-portable.exe', description: 'Pilotfish', compressor: 'zlib' }),
    '!include FileFunc.nsh',
    'SilentInstall silent',
    'Section',
    String.raw`  StrCpy $INSTDIR "$EXEDIR\Pilotfish-${version}"`,
    '  SetOutPath "$INSTDIR"',
    String.raw`  IfFileExists "$INSTDIR\pilotfish.exe" start`,
    '  ClearErrors',
    '  File LICENSE.txt',
    '  # Under its own name only when it is whole.',
    '  File /oname=pilotfish.exe.new pilotfish.exe',
    String.raw`  Rename "$INSTDIR\pilotfish.exe.new" "$INSTDIR\pilotfish.exe"`,
    '  IfErrors 0 start',
    '  MessageBox MB_OK|MB_ICONSTOP "Pilotfish cannot be unpacked into $INSTDIR. Move it to a folder that is yours, then start it there." /SD IDOK',
    '  SetErrorLevel 2',
    '  Abort',
    '  start:',
    '  ${GetParameters} $0',
    String.raw`  Exec '"$INSTDIR\pilotfish.exe" $0'`,
    'SectionEnd',
    '',
  ].join('\n');

const head = ({ version, name, description, compressor }: { version: string; name: string; description: string; compressor: string }) => [
  'Unicode true',
  'Target amd64-unicode',
  `SetCompressor ${compressor}`,
  // Otherwise the same sources would give other bytes at another time.
  'SetDateSave off',
  'RequestExecutionLevel user',
  'Name Pilotfish',
  `OutFile ${name}`,
  'Icon pilotfish.ico',
  'UninstallIcon pilotfish.ico',
  `VIProductVersion ${fourNumbers(version)}`,
  `VIFileVersion ${fourNumbers(version)}`,
  ...Object.entries({
    ProductName: 'Pilotfish',
    ProductVersion: version,
    FileVersion: version,
    FileDescription: description,
    CompanyName: 'The Pilotfish authors',
    LegalCopyright: 'MIT licence',
  }).map(([key, value]) => `VIAddVersionKey ${key} "${value}"`),
];

/** As the version of a file must be. */
const fourNumbers = (version: string): string => `${/^\d+\.\d+\.\d+/u.exec(version)?.[0] ?? '0.0.0'}.0`;

/** Has NSIS make the setup program of a script; its bytes. */
export const makeSetup = async (script: string, { executable, icon, license, sbom }: WindowsProgram): Promise<Buffer> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pilotfish-setup-'));
  try {
    const files = {
      'pilotfish.exe': executable,
      'pilotfish.ico': icon,
      'LICENSE.txt': license,
      'sbom.cdx.json': sbom,
      // On Windows the path may be relative to the manifest.
      [manifestFileName]: manifestText('pilotfish.exe'),
      'script.nsi': script,
    };
    for (const [name, content] of Object.entries(files)) writeFileSync(path.join(folder, name), content);
    await promisify(execFile)('makensis', ['-V2', '-WX', 'script.nsi'], { cwd: folder });
    const name = /^OutFile (.+)$/mu.exec(script)?.[1];
    if (name === undefined) throw new Error('the script names no file');
    return readFileSync(path.join(folder, name));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** What is made on Linux for Windows and macOS, judged by its structure. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Data, NtExecutable, NtExecutableResource, Resource } from 'resedit';
import { describe, expect, test } from 'vitest';
import { macIcon, readPictures, windowsIcon } from '#installer/package/icons.ts';
import { adHocSigned, signatureProblem } from '#installer/package/macos-signature.ts';
import { dressed, makeSetup, portableScript, setupScript } from '#installer/package/windows.ts';
import { browserPlaces } from '#native-manifests/browsers.ts';

const ROOT = path.join(import.meta.dirname, '..', '..', '..', '..');
const pictures = readPictures(ROOT);

/** A program for Windows that says it is somebody else's. */
const somebodysProgram = (): Buffer => {
  const program = NtExecutable.createEmpty(false, false);
  const resources = NtExecutableResource.from(program);
  const info = Resource.VersionInfo.create(1033, { fileVersionMS: 1, fileVersionLS: 0 }, [
    { lang: 1033, codepage: 1200, values: { ProductName: 'Somebody', CompanyName: 'Somebody' } },
  ]);
  info.outputToResourceEntries(resources.entries);
  const icons = Data.IconFile.from(windowsIcon(pictures.slice(0, 1))).icons.map(({ data }) => data);
  Resource.IconGroupEntry.replaceIconsForResource(resources.entries, 1, 1033, icons);
  resources.outputResource(program);
  return Buffer.from(program.generate());
};

/** Three pages: the header with two segments, a page of code, and a few bytes for the linker. */
const macProgram = (): Buffer => {
  const binary = Buffer.alloc(2 * 4096 + 100, 7);
  binary.fill(0, 0, 4096);
  for (const [index, word] of [0xfeedfacf, 0x0100000c, 0, 2, 2, 152 + 72, 0].entries()) binary.writeUInt32LE(word, 4 * index);
  const segment = (at: number, name: string, start: number, size: number, sections: number): void => {
    binary.writeUInt32LE(0x19, at);
    binary.writeUInt32LE(72 + 80 * sections, at + 4);
    binary.write(name, at + 8);
    binary.writeBigUInt64LE(BigInt(start), at + 40);
    binary.writeBigUInt64LE(BigInt(size), at + 48);
    binary.writeUInt32LE(sections, at + 64);
  };
  segment(32, '__TEXT', 0, 8192, 1);
  binary.writeUInt32LE(4096, 32 + 72 + 48);
  segment(184, '__LINKEDIT', 8192, 100, 0);
  return binary;
};

describe('icons', () => {
  test('hold every picture whole for Windows, and those of the known sizes for macOS', () => {
    expect(Data.IconFile.from(windowsIcon(pictures)).icons.map(({ width }) => width)).toEqual([16, 32, 48, 128]);

    const icon = macIcon(pictures);
    const types: string[] = [];
    for (let at = 8; at < icon.length; at += icon.readUInt32BE(at + 4)) {
      types.push(icon.toString('latin1', at, at + 4));
      expect(icon.toString('latin1', at + 9, at + 12)).toBe('PNG');
    }
    expect(icon.toString('latin1', 0, 4)).toBe('icns');
    expect(icon.readUInt32BE(4)).toBe(icon.length);
    expect(types).toEqual(['icp4', 'icp5', 'ic07']);
  });
});

describe('the program for Windows', () => {
  test('has our icon, name and version, and no signature that no longer holds', () => {
    const made = dressed(somebodysProgram(), '1.2.3', windowsIcon(pictures));

    const program = NtExecutable.from(made);
    const { entries } = NtExecutableResource.from(program);
    const [info] = Resource.VersionInfo.fromEntries(entries);
    expect(info?.getStringValues({ lang: 1033, codepage: 1200 })).toMatchObject({
      ProductName: 'Pilotfish',
      CompanyName: 'The Pilotfish authors',
      FileVersion: '1.2.3.0',
    });
    expect(info?.fixedInfo).toMatchObject({ fileVersionMS: 0x1_0002, fileVersionLS: 0x3_0000 });
    expect(Resource.IconGroupEntry.fromEntries(entries).map(({ icons }) => icons.map(({ width }) => width))).toEqual([[16, 32, 48, 128]]);
    expect(program.getExtraData()).toBeNull();
  });

  test('is set up for one user, known to every browser of the list, and taken away again', () => {
    const script = setupScript('1.2.3');
    const [install = '', uninstall = ''] = script.split('Section Uninstall');

    expect(script).toContain('RequestExecutionLevel user');
    for (const { win32 } of browserPlaces) {
      if (win32 === null) continue;
      const key = `HKCU "${win32.registryKey}\\com.pilotfish.host"`;
      expect(install).toContain(`WriteRegStr ${key} "" "$INSTDIR\\com.pilotfish.host.json"`);
      expect(uninstall).toContain(`DeleteRegKey ${key}`);
    }
    for (const [, file] of install.matchAll(/^ {2}File (?<file>\S+)$/gmu)) expect(uninstall).toContain(`Delete "$INSTDIR\\${file}"`);
  });

  test('is taken by NSIS in both forms, the same bytes each time', async ({ skip }) => {
    skip(spawnSync('makensis', ['-VERSION']).status !== 0, 'NSIS is not here');
    const parts = { executable: somebodysProgram(), icon: windowsIcon(pictures), license: 'MIT', sbom: '{}' };
    for (const script of [setupScript('1.2.3'), portableScript('1.2.3')]) {
      const setup = await makeSetup(script, parts);

      const [info] = Resource.VersionInfo.fromEntries(NtExecutableResource.from(NtExecutable.from(setup)).entries);
      expect(info?.fixedInfo).toMatchObject({ fileVersionMS: 0x1_0002, fileVersionLS: 0x3_0000 });
      expect((await makeSetup(script, parts)).equals(setup)).toBe(true);
    }
  });
});

describe('the program for macOS', () => {
  test('has a signature over every byte before it', () => {
    const signed = adHocSigned(macProgram(), 'com.pilotfish.terminal');

    expect(signatureProblem(macProgram())).toBe('there is none');
    expect(signatureProblem(signed)).toBeNull();
    expect(signed.readUInt32LE(16)).toBe(3);
    const changed = Buffer.from(signed);
    changed[5000] = 0;
    expect(signatureProblem(changed)).toBe('page 1 has another hash');
    expect(() => adHocSigned(signed, 'x')).toThrow('signed already');
    expect(() => adHocSigned(readFileSync(path.join(ROOT, 'package.json')), 'x')).toThrow('no Mach-O program');
  });
});

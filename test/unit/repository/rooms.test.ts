import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { rooms } from '#rooms.ts';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');

/** Puts the rooms together, so it knows them all; no room imports it. */
const ROOF = 'companion/app';

/** Folders of unit tests that are of no room. */
const BESIDE_ROOMS = ['app', 'installer', 'repository'];

/** Pictures and words, which are no code. */
const NO_CODE = ['icons', '_locales'];

const foldersOf = (parent: string): string[] =>
  readdirSync(path.join(ROOT, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !NO_CODE.includes(entry.name))
    .map(({ name }) => `${parent}/${name}`);

describe('the table of rooms', () => {
  test('has each folder of code', () => {
    const found = [...foldersOf('companion'), ...foldersOf('extension')].filter((folder) => folder !== ROOF);

    expect(found.filter((folder) => rooms[folder] === undefined)).toEqual([]);
    expect(Object.keys(rooms).filter((room) => !existsSync(path.join(ROOT, room)))).toEqual([]);
  });

  test('lets no room import one that stands further down the table', () => {
    const order = Object.keys(rooms);
    const wrong = Object.entries(rooms).flatMap(([room, { imports }]) =>
      imports.filter((name) => order.indexOf(name) >= order.indexOf(room)).map((name) => `${room} imports ${name}`),
    );

    expect(wrong).toEqual([]);
  });

  test('has a room for each folder of unit tests', () => {
    const unit = foldersOf('test/unit').map((folder) => path.basename(folder));
    const extension = foldersOf('test/unit/extension').map((folder) => `extension/${path.basename(folder)}`);
    const tested = [...unit.filter((name) => name !== 'extension').map((name) => `companion/${name}`), ...extension];

    const strange = tested.filter((room) => rooms[room] === undefined && !BESIDE_ROOMS.includes(path.basename(room)));

    expect(strange).toEqual([]);
  });
});

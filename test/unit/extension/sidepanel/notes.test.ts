/** What the person writes beside something that is attached. */
import { describe, expect, test } from 'vitest';
import type { Attached } from '#extension/sidepanel/outbox.ts';
import { ownName, partOf, withNotes } from '#extension/sidepanel/notes.ts';

const attached = (name: string, note?: string, text = ''): Attached => ({
  kind: 'element',
  name,
  mimeType: 'text/plain',
  dataBase64: Buffer.from(text).toString('base64'),
  ...(note === undefined ? {} : { note }),
});

describe('notes', () => {
  test('go with the words of the prompt, each under the name of what it is about, and not with what is data of a page', () => {
    const sent = withNotes('Mend these', [attached('Element of a.test', ' make it\nlarger '), attached('Element of a.test (2)')], 'Notes:');

    expect(sent.text).toBe('Mend these\n\nNotes:\n- Element of a.test: make it larger');
    expect(sent.attachments.map((file) => Object.keys(file).includes('note'))).toEqual([false, false]);
  });

  test('are all of the prompt when nothing else is written; a prompt without any stays as it is', () => {
    expect(withNotes(' ', [attached('Element of a.test', 'larger')], 'Notes:').text).toBe('Notes:\n- Element of a.test: larger');
    expect(withNotes('As it is ', [attached('Element of a.test', ' ')], 'Notes:').text).toBe('As it is ');
  });
});

describe('the name of what is attached', () => {
  test('is its own, so that a note can be about it', () => {
    const before = [attached('Element of a.test'), attached('Element of a.test (2)')];

    expect(ownName(before, 'Element of a.test')).toBe('Element of a.test (3)');
    expect(ownName(before, 'Element of b.test')).toBe('Element of b.test');
  });
});

describe('an element in the composer', () => {
  test('is told from the others by what it says', () => {
    const text = 'page: http://a.test/\ntitle: T\nselector: #pay\nrole: button\nname: Pay now\ntext: Pay now\n\n<button>';

    expect(partOf(attached('Element of a.test', undefined, text))).toBe('Pay now');
    expect(partOf({ ...attached('x', undefined, text), kind: 'file' })).toBe('');
  });

  test('as a tab is by its title, and without one by its address', () => {
    const tab = (text: string): string => partOf({ ...attached('Page of a.test', undefined, text), kind: 'page' });

    expect(tab('page: http://a.test/1\ntitle: Harbour 1\n\ntitle: Harbour 2')).toBe('Harbour 1');
    expect(tab('page: http://a.test/1\ntitle: \n\n')).toBe('http://a.test/1');
  });
});

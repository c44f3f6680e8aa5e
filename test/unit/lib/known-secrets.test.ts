import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { KnownSecrets } from '#companion/lib/known-secrets.ts';
import { FileLog } from '#companion/lib/log.ts';

describe('known secrets', () => {
  test('are blotted out from six characters on, until one opens nothing any more', () => {
    const known = new KnownSecrets();
    known.learn(['s3cr3t', 'short', 'token-of-a-run']);

    expect(known.redact('s3cr3t short token-of-a-run')).toBe('[secret] short [secret]');
    known.forget('token-of-a-run');
    expect(known.redact('s3cr3t short token-of-a-run')).toBe('[secret] short token-of-a-run');
  });

  test('are in no text for a file, and neither are passwords and keys in addresses that nobody has told', () => {
    const text = 'https://me:p4ssw0rd@a.example/?api_key=k3y-of-mine s3cr3t';

    const known = new KnownSecrets();
    known.learn(['s3cr3t']);
    expect(known.redact(text)).toBe('https://me:[secret]@a.example/?api_key=[secret] [secret]');
  });

  test('are a bounded number, and the newest are kept', () => {
    const known = new KnownSecrets();
    known.learn(Array.from({ length: 1001 }, (_, index) => `secret-number-${index}.`));

    expect(known.redact('secret-number-0. secret-number-1. secret-number-1000.')).toBe('secret-number-0. [secret] [secret]');
  });

  test('are in no line of the log, wherever in a field they stand', () => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'pilotfish-')), 'daemon.log');
    const known = new KnownSecrets();
    const log = new FileLog({ file, maxBytes: 1e6, known });
    known.learn(['s3cr3t-and-more']);

    // The field is cut at 4000 characters, in the middle of the secret.
    log.warn('planted', { text: `${'x'.repeat(3990)}s3cr3t-and-more`, deep: [{ error: new Error('s3cr3t-and-more') }] });
    log.close();

    expect(readFileSync(file, 'utf8')).not.toContain('s3cr3t');
    expect(readFileSync(file, 'utf8')).toContain('"message":"[secret]"');
  });
});

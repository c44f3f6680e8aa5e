import { describe, expect, test } from 'vitest';
import { failureAt } from '#installer/register/failure.ts';
import { CompanionError } from '#protocol/errors.ts';

const fault = (code: string, syscall = 'write'): Error => Object.assign(new Error(`${code}: it failed, ${syscall}`), { code, syscall });

describe('what could not be installed or removed', () => {
  test('is told by its true cause, with the place, and with what mends it', () => {
    expect(failureAt('/home/me/.config/x.json', fault('ENOSPC'), 'install')).toMatchObject({
      code: 'INSTALL_FAILED',
      message: expect.stringContaining('The disk is full. (/home/me/.config/x.json: ENOSPC'),
      remedy: 'Free disk space where /home/me/.config lies, then run `pilotfish install` again.',
    });
    expect(failureAt('/x', fault('EROFS', 'mkdir'), 'uninstall')).toMatchObject({
      message: expect.stringContaining('The disk of /x can only be read.'),
      remedy: expect.stringContaining('Make it writable'),
    });
  });

  test('is a matter of rights where nothing else is known', () => {
    for (const error of [fault('EACCES', 'open'), fault('ERR_OTHER'), new Error('no')])
      expect(failureAt('/x/y', error, 'uninstall').remedy).toBe(
        'Check the rights of the folder named above, then run `pilotfish uninstall` again.',
      );
  });

  test('keeps its own words where it has some', () => {
    const error = new CompanionError('INSTALL_FAILED', 'taken', { remedy: 'Move it.' });

    expect(failureAt('/x', error, 'install')).toEqual(error.toBody());
  });
});

import * as z from 'zod';

/** The end of the year 9999: what comes later is written with a sign and more digits, and beyond 8.64e15 a `Date` throws when it is written down. */
const LAST = 253_402_300_799_999;

/** A moment in Unix milliseconds that can be written down as a date. */
export const Moment = z.number().min(0).max(LAST);

/** Whether a figure from outside is one. */
export const isMoment = (figure: number | null | undefined): figure is number => Moment.safeParse(figure).success;

/** In milliseconds; a hundred years are more than anything takes. */
export const Duration = z.number().min(0).max(3_155_760_000_000);

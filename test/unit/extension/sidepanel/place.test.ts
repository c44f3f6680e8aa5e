import { describe, expect, test } from 'vitest';
import { atEnd, moved, type Place } from '#extension/sidepanel/place.ts';

const box = (scrollTop: number, { scrollHeight = 1000, clientHeight = 400 } = {}) => ({ scrollTop, scrollHeight, clientHeight });
const following: Place = moved(atEnd, box(600), null);
const reading: Place = moved(following, box(300), 'm9');

describe('the place in a list that grows', () => {
  test('is its end until the person moves up, by however little', () => {
    expect(following.isFollowing).toBe(true);
    expect(moved(following, box(600, { scrollHeight: 1500 }), 'm9')).toMatchObject({ isFollowing: true });
    expect(moved(following, box(597), 'm9')).toMatchObject({ isFollowing: false, leftAt: 'm9' });
  });

  test('is the end as before when the browser moves it there, also where something has come below since', () => {
    expect(moved(following, box(400, { scrollHeight: 800 }), 'm9').isFollowing).toBe(true);
    expect(moved(following, box(300, { scrollHeight: 1017, clientHeight: 700 }), 'm9').isFollowing).toBe(true);
  });

  test('is what the person reads until they come back to the end', () => {
    expect(moved(reading, box(320), null)).toMatchObject({ isFollowing: false, leftAt: 'm9' });
    expect(moved(reading, box(300, { scrollHeight: 730 }), null).isFollowing).toBe(true);
    expect(moved(moved(reading, box(500), null), box(570), null).isFollowing).toBe(true);
    // What stands a little above the end stays there, whatever else is measured.
    expect(moved(moved(following, box(590), 'm9'), box(590), 'm9').isFollowing).toBe(false);
  });
});

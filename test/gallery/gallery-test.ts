/** A test in the gallery of the panel, which all tests of one file share. */
import { test as base } from 'vitest';
import { openGallery, type OpenGallery } from './gallery.ts';

export const test = base.extend<{ gallery: OpenGallery }>({
  gallery: [
    // oxlint-disable-next-line no-empty-pattern -- vitest reads the dependencies of a fixture from this pattern
    async ({}, use) => {
      const gallery = await openGallery();
      await use(gallery);
      await gallery.close();
    },
    { scope: 'file' },
  ],
});

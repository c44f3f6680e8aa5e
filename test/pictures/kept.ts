/** Takes the pictures anew with which the look of every state is compared: after a change that was meant, and looked at. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openGallery } from '#test/gallery/gallery.ts';
import { keptFile, takePicture, useBoxFont } from '#test/gallery/kept.ts';

const folder = path.dirname(keptFile(''));
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const gallery = await openGallery();
try {
  const easel = await gallery.openPage({ width: 100, height: 100 });
  await useBoxFont(gallery);
  for (const name of gallery.names) writeFileSync(keptFile(name), await takePicture(gallery, easel, name));
} finally {
  await gallery.close();
}

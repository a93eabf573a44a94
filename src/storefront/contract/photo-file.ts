import { file, type Shown } from '#kernel/http/page.ts';

/** A photo of a customer as a page answers it: nobody keeps it on the way, and it runs nothing. */
export const photoFile = (bytes: Uint8Array): Shown =>
  file('image/webp', bytes, {
    headers: {
      'Cache-Control': 'private, no-store',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Referrer-Policy': 'no-referrer',
      'X-Robots-Tag': 'noindex',
    },
  });

import { randomBytes } from 'node:crypto';
import type { Sending } from './exchange.ts';

/**
 * A form with one file, as the admin API takes it: only a form tells the name of a file.
 *
 * @param file `size` in bytes, exactly
 */
export function formOf(file: { filename: string; size: number; open(): AsyncIterable<Uint8Array> }): Sending {
  const boundary = `appctl-${randomBytes(16).toString('hex')}`;
  const name = file.filename.replaceAll(/["\\]/g, '\\$&').replaceAll(/[\r\n]/g, ' ');
  const head = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="bundle"; filename="${name}"\r\n` +
      'Content-Type: application/octet-stream\r\n\r\n',
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    size: head.length + file.size + tail.length,
    async *chunks() {
      yield head;
      yield* file.open();
      yield tail;
    },
  };
}

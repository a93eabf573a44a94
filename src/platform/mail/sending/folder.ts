import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { composed, type Message, type Outcome } from './message.ts';
import type { Sender } from './route.ts';

/** Writes a mail as a file that mail programs open; a repeated attempt writes the same file again. */
export async function putInFolder(folder: string, sender: Sender, message: Message): Promise<Outcome> {
  try {
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
    const { message: bytes } = await transport.sendMail(composed(message, sender));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const name = `${message.id.slice(1, message.id.indexOf('@'))}.eml`;
    const path = join(folder, name);
    await writeFile(`${path}.part`, bytes as Buffer, { mode: 0o600 });
    await rename(`${path}.part`, path);
    return { sent: true, response: path };
  } catch (error) {
    return { sent: false, isFinal: false, error: `${folder}: ${(error as Error).message}` };
  }
}

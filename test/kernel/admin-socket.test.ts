import { once } from 'node:events';
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AppError } from '#kernel/errors.ts';
import { type AdminSocket, callServer, openAdminSocket } from '#kernel/http/admin-socket.ts';
import { removeDeadSocket, socketAnswers } from '#kernel/http/unix-socket.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

let folder: string;
let path: string;
let open: AdminSocket[];
beforeEach(() => {
  folder = scratchFolder('appctl-socket-');
  path = join(folder, 'appctl.sock');
  open = [];
});
afterEach(async () => {
  for (const socket of open) await socket.close();
  rmSync(folder, { recursive: true });
});

async function openSocket(): Promise<AdminSocket> {
  const socket = await openAdminSocket(path);
  open.push(socket);
  return socket;
}

test('commands answer with results and errors as they were thrown', async () => {
  const socket = await openSocket();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await expect(callServer(path, 'echo')).rejects.toMatchObject({ code: 'NOT_READY' });
  socket.answer({
    echo: async (input) => input,
    refuse: async () => {
      throw new AppError('CONFLICT', 409, 'no', { details: { hint: 'later' } });
    },
    break: async () => {
      throw new TypeError('broke');
    },
  });
  expect(await callServer(path, 'echo', { text: 'ä', n: 1 })).toEqual({ text: 'ä', n: 1 });
  await expect(callServer(path, 'refuse')).rejects.toMatchObject({
    code: 'CONFLICT',
    details: { hint: 'later' },
  });
  await expect(callServer(path, 'break')).rejects.toMatchObject({ code: 'INTERNAL_ERROR', message: 'broke' });
  for (const name of ['nothing', '__proto__', 'toString']) {
    await expect(callServer(path, name)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  }
});

test('bad messages are refused and the next one is answered', async () => {
  const socket = await openSocket();
  socket.answer({ echo: async (input) => input });
  expect(await post('{')).toMatchObject({ ok: false });
  expect(await post(JSON.stringify('x'.repeat(100_000)))).toMatchObject({
    ok: false,
    error: { code: 'VALIDATION_ERROR' },
  });
  expect(await callServer(path, 'echo', { again: true })).toEqual({ again: true });
});

test('nobody there is null, nobody answering in time an error', async () => {
  expect(await callServer(path, 'echo')).toBeNull();
  expect(await callServer(join(folder, 'no', 'folder.sock'), 'echo')).toBeNull();
  const socket = await openSocket();
  socket.answer({ wait: () => new Promise(() => undefined) });
  await expect(callServer(path, 'wait', {}, 50)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
});

test('a second socket is refused while the first lives, a dead one is replaced', async () => {
  const first = await openSocket();
  await expect(openAdminSocket(path)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await first.close();
  expect(existsSync(path)).toBe(false);
  await leaveDeadSocket();
  expect([existsSync(path), await socketAnswers(path)]).toEqual([true, false]);
  await openSocket();
  expect(await socketAnswers(path)).toBe(true);
});

test('only a socket is ever removed', async () => {
  writeFileSync(path, 'mine');
  await removeDeadSocket(path);
  expect(existsSync(path)).toBe(true);
  await expect(openAdminSocket(path)).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

/** A socket whose file stays when its server closes: it was renamed in between. */
async function leaveDeadSocket(): Promise<void> {
  const { renameSync } = await import('node:fs');
  const server = createServer().listen(`${path}.tmp`);
  await once(server, 'listening');
  renameSync(`${path}.tmp`, path);
  server.close();
  await once(server, 'close');
}

async function post(body: string): Promise<unknown> {
  const call = request({ socketPath: path, path: '/echo', method: 'POST', headers: { Host: 'x' } });
  call.end(body);
  const [response] = (await once(call, 'response')) as [AsyncIterable<Buffer>];
  let text = '';
  for await (const chunk of response) text += chunk.toString();
  return JSON.parse(text);
}

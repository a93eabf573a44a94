import { chmodSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { AppError } from '../errors.ts';
import { removeDeadSocket, shortPath } from './unix-socket.ts';

/** What a server does for the commands of its own machine, by name. Input and result are JSON. */
export type AdminCommands = Readonly<Record<string, (input: Record<string, unknown>) => Promise<unknown>>>;

/** The socket through which commands of the same user talk to a running server (cli.md section 1.7, mark S). */
export interface AdminSocket {
  readonly path: string;
  /** Gives the commands; until then every call is answered with NOT_READY. */
  answer(commands: AdminCommands): void;
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 65_536;

type Reply =
  | { ok: true; result: unknown }
  | { ok: false; error: { code: string; status: number; message: string; details: Record<string, unknown> } };

/**
 * Listens on the admin socket, mode 0600 in a folder of mode 0700: whoever may open it is the server's own user.
 * A socket that a killed server left is replaced.
 *
 * @throws Error with code EADDRINUSE when another server answers on it
 */
export async function openAdminSocket(path: string): Promise<AdminSocket> {
  let commands: AdminCommands | null = null;
  const server = createServer((req, res) => void reply(req, res, commands));
  await removeDeadSocket(path);
  const short = shortPath(path);
  try {
    await listenOn(server, short.path);
  } catch (error) {
    short.release();
    throw error;
  }
  chmodSync(path, 0o600);
  return {
    path,
    answer(given) {
      commands = given;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          short.release();
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

function listenOn(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path }, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}

async function reply(
  req: IncomingMessage,
  res: ServerResponse,
  commands: AdminCommands | null,
): Promise<void> {
  const answer = await perform(req, commands).catch(
    (error: unknown): Reply => ({ ok: false, error: shown(error) }),
  );
  res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
}

async function perform(req: IncomingMessage, commands: AdminCommands | null): Promise<Reply> {
  const input = JSON.parse((await readBody(req)) || '{}') as Record<string, unknown>;
  if (!commands) throw new AppError('NOT_READY', 503, 'the server is starting');
  const name = (req.url ?? '').slice(1);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw new AppError('NOT_FOUND', 404, `the running server does not know the command ${name}`);
  return { ok: true, result: await command(input) };
}

async function readBody(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new AppError('VALIDATION_ERROR', 413, 'the message is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function shown(error: unknown) {
  if (error instanceof AppError) {
    const { code, status, message, details } = error;
    return { code, status, message, details };
  }
  return { code: 'INTERNAL_ERROR', status: 500, message: (error as Error).message, details: {} };
}

/**
 * Calls a command of the server that runs on a data directory.
 *
 * @param timeoutMs how long to wait for the answer; 0 waits for ever
 * @returns the command's result; null when no server listens there
 * @throws AppError that the command threw; ETIMEDOUT when it does not answer in time
 */
export async function callServer<T>(
  path: string,
  command: string,
  input: Record<string, unknown> = {},
  timeoutMs = 5000,
): Promise<T | null> {
  const text = await exchange(path, command, JSON.stringify(input), timeoutMs);
  if (text === null) return null;
  const answer = JSON.parse(text) as Reply;
  if (answer.ok) return answer.result as T;
  const { code, status, message, details } = answer.error;
  throw new AppError(code, status, message, { details });
}

async function exchange(
  path: string,
  command: string,
  body: string,
  timeoutMs: number,
): Promise<string | null> {
  let short: ReturnType<typeof shortPath>;
  try {
    short = shortPath(path);
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
  try {
    return await new Promise<string>((resolve, reject) => {
      const headers = { Host: 'localhost', 'Content-Type': 'application/json' };
      const call = request(
        { socketPath: short.path, path: `/${command}`, method: 'POST', headers },
        (res) => {
          readAll(res).then(resolve, reject);
        },
      );
      call.setTimeout(timeoutMs, () => call.destroy(timedOut()));
      call.once('error', reject);
      call.end(body);
    });
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  } finally {
    short.release();
  }
}

async function readAll(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

const timedOut = (): Error =>
  Object.assign(new Error('the running server does not answer'), { code: 'ETIMEDOUT' });

/** No socket, or one that nobody serves any more. */
const isAbsent = (error: unknown): boolean =>
  ['ENOENT', 'ECONNREFUSED', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

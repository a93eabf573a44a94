// Many sign-ins at once, in a process of their own so that their work is not that of who measures beside them. They are
// bytes on plain connections: a whole HTTP client took longer for 500 of them than the server, and on the same two cores
// what validations waited for was the client.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';

/** What this process is told. */
export interface SignInsJob {
  url: string;
  /** How many sign in at the same time, none of them with an account. */
  count: number;
  /** Where they sign in, when not as staff. */
  path?: string;
  /** JSON file with a list of more headers, for each of them. */
  headers?: string;
}

const {
  url,
  count,
  path = '/api/v1/admin/auth/login',
  headers: file,
} = JSON.parse(process.argv[2] ?? '') as SignInsJob;
const headers =
  file === undefined ? [] : (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>[]);
const { hostname, port, host } = new URL(url);

async function signIn(n: number): Promise<number> {
  const body = JSON.stringify({ email: `nobody-${n}@example.com`, password: 'not the right password' });
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${host}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: close',
    ...Object.entries(headers[n] ?? {}).map(([name, value]) => `${name}: ${value}`),
  ];
  const socket = connect(Number(port), hostname);
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  let text = '';
  socket.setEncoding('latin1').on('data', (part: string) => {
    text += part;
  });
  await once(socket, 'close');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
  if (status !== 401 && status !== 429) throw new Error(`a sign-in was answered ${status}`);
  return status;
}

const statuses = await Promise.all(Array.from({ length: count }, (_, n) => signIn(n)));
// How many passwords were hashed; the others were told to come again.
process.stdout.write(`${JSON.stringify({ hashed: statuses.filter((status) => status === 401).length })}\n`);

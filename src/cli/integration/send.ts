import { endpointPath } from '#licensing/purchases/integrations/index.ts';
import type { Cli } from '../frame/context.ts';
import { CliError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import { askServer, atPath, ownServer } from '../own-server.ts';
import { serverAsked } from '../remote/asked.ts';
import type { Server } from '../remote/server.ts';

const DEFAULT_TIMEOUT_SECONDS = 10;

/** A signed purchase. */
interface Sample {
  readonly configId: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What came back. */
interface Reply {
  readonly status: number;
  readonly text: string;
}

/**
 * Sends a sample to the endpoint that processors send to: that of the server of this installation, or of the one that
 * the command names.
 *
 * @throws CliError 9 without an answer
 */
export async function sendSample(cli: Cli, sample: Sample): Promise<Reply> {
  const server = await serverAsked(cli);
  return server === null ? sendHere(cli, sample) : sendThere(cli, server, sample);
}

const patienceMsOf = ({ timeoutSeconds = DEFAULT_TIMEOUT_SECONDS }: Cli): number => timeoutSeconds * 1000;

async function sendHere(cli: Cli, { configId, body, headers }: Sample): Promise<Reply> {
  const { config } = await cli.config();
  const server = atPath(ownServer(config), endpointPath(configId));
  const bytes = Buffer.from(body, 'utf8');
  const described = { 'Content-Type': 'application/json', 'Content-Length': String(bytes.length) };
  try {
    return await askServer(server, {
      method: 'POST',
      headers: { ...headers, ...described },
      body: bytes,
      timeoutMs: patienceMsOf(cli),
    });
  } catch (error) {
    const where = server.socketPath ?? server.url.origin;
    throw new CliError(exits.unreachable, 'SERVER_UNREACHABLE', `${where}: ${(error as Error).message}`, {
      hint: 'the test goes to the server of this installation: start it with appctl serve',
    });
  }
}

async function sendThere(
  cli: Cli,
  { base, ca }: Server,
  { configId, body, headers }: Sample,
): Promise<Reply> {
  const { exchange } = await import('../remote/exchange.ts');
  const bytes = Buffer.from(body, 'utf8');
  // A processor sends no token: neither does this.
  const line = { base, ca, headers: {}, patienceMs: patienceMsOf(cli), environment: cli.io.env };
  return exchange(line, {
    method: 'POST',
    url: new URL(endpointPath(configId).slice(1), base),
    headers,
    sending: { type: 'application/json', size: bytes.length, chunks: () => [bytes] },
  });
}

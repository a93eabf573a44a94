// Target (w), the limit of durable writes: bare node:http, prepared statements, one commit for all that wait.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { canonicalKey } from '#licensing/catalog/key-formats/index.ts';
import { answerOf, readBody, send } from './limit-reads.ts';
import { openWrites } from './limit-transactions.ts';
import { keyringOfJob, listenOn, serverJob } from './served.ts';

interface Body {
  licenseKey?: string;
  key?: string;
  machineId?: string;
  machineName?: string;
  feature?: string;
}

const HEARTBEAT_MS = 600_000;

const job = serverJob();
const keyring = keyringOfJob(job);
const writes = openWrites(job.databaseUrl);

async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const body = JSON.parse(await readBody(req)) as Body;
  const operation = (req.url as string).slice('/api/v1/license/'.length);
  const nowMs = Date.now();
  const now = new Date(nowMs).toISOString();
  const machineId = body.machineId ?? '';
  const outcome = await writes.perform({
    operation: operation as 'activate',
    apiKeyHash: keyring.digest('api-key', req.headers['x-api-key'] as string),
    digest: keyring.digest('lookup', canonicalKey(body.licenseKey ?? body.key ?? '')),
    machineId,
    machineName: body.machineName ?? null,
    feature: body.feature ?? '',
    nowMs,
    now,
  });
  if (outcome === null) return send(res, 400, { success: false, error: { code: 'REFUSED' } });
  const { row, counter } = outcome;
  if (operation === 'heartbeat')
    return send(res, 200, { success: true, nextHeartbeatAt: new Date(nowMs + HEARTBEAT_MS).toISOString() });
  if (operation === 'record-usage')
    return send(res, 200, {
      success: true,
      message: 'Usage recorded',
      usage: { current: counter, max: null },
    });
  const { license } = answerOf(row, { licenseKey: body.licenseKey ?? '', machineId }, now);
  send(res, 200, {
    success: true,
    message: 'License activated',
    license,
    activation: { machineId, machineName: body.machineName, activatedAt: now },
  });
}

await listenOn((req, res) => {
  answer(req, res).catch((error: unknown) => send(res, 500, { success: false, message: String(error) }));
});

// Target (a), the limit: bare node:http that reads what validate reads, with prepared statements, and nothing else.

import type { IncomingMessage, ServerResponse } from 'node:http';
import Driver from 'better-sqlite3';
import pg from 'pg';
import { reusablePlan } from '#kernel/db/dialect.ts';
import { canonicalKey } from '#licensing/catalog/key-formats/index.ts';
import { DEFAULT_TENANT_ID } from '#platform/tenants/index.ts';
import { answerOf, apiKeySql, licenseSql, numbered, type Row, send } from './limit-reads.ts';
import { keyringOfJob, listenOn, serverJob } from './served.ts';

/** The two reads of a validation. */
interface Reads {
  apiKey(hash: string): Promise<Row | undefined> | Row | undefined;
  license(values: {
    machineId: string;
    now: string;
    digest: string;
  }): Promise<Row | undefined> | Row | undefined;
}

function readsOnSqlite(path: string): Reads {
  const connection = new Driver(path, { readonly: true });
  const apiKey = connection.prepare(reusablePlan('sqlite', apiKeySql));
  const license = connection.prepare(reusablePlan('sqlite', licenseSql));
  return {
    apiKey: (hash) => apiKey.get(hash) as Row | undefined,
    license: ({ machineId, now, digest }) =>
      license.get(now, machineId, digest, DEFAULT_TENANT_ID) as Row | undefined,
  };
}

function readsOnPostgres(url: string): Reads {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  const first = async (name: string, text: string, values: unknown[]) =>
    (await pool.query({ name, text, values })).rows[0] as Row | undefined;
  const [apiKeyText, licenseText] = [numbered(apiKeySql), numbered(licenseSql)];
  return {
    apiKey: (hash) => first('api_key', apiKeyText, [hash]),
    license: ({ machineId, now, digest }) =>
      first('license', licenseText, [now, machineId, digest, DEFAULT_TENANT_ID]),
  };
}

const job = serverJob();
const keyring = keyringOfJob(job);
const reads = job.databaseUrl.startsWith('sqlite:')
  ? readsOnSqlite(job.databaseUrl.slice('sqlite:'.length))
  : readsOnPostgres(job.databaseUrl);

async function validate(req: IncomingMessage, res: ServerResponse, text: string): Promise<void> {
  const body = JSON.parse(text) as { licenseKey: string; machineId: string };
  const apiKey = await reads.apiKey(keyring.digest('api-key', req.headers['x-api-key'] as string));
  if (!apiKey) return send(res, 401, { success: false, error: { code: 'INVALID_API_KEY' } });
  const now = new Date().toISOString();
  const digest = keyring.digest('lookup', canonicalKey(body.licenseKey));
  const row = await reads.license({ machineId: body.machineId, now, digest });
  send(res, 200, answerOf(row, body, now));
}

await listenOn((req, res) => {
  let text = '';
  req.setEncoding('utf8');
  req.on('data', (chunk: string) => {
    text += chunk;
  });
  req.on('end', () => {
    validate(req, res, text).catch((error: unknown) =>
      send(res, 500, { success: false, message: String(error) }),
    );
  });
});

// What the bare servers share: the two reads of a license operation, and how they answer.
import type { IncomingMessage, ServerResponse } from 'node:http';

export type Row = Record<string, unknown>;

export const apiKeySql = `
  SELECT id, service, tenant_id, name, scope, product_ids, ip_allowlist, limits, expires_at, revoked_at, last_used_at
  FROM api_keys WHERE key_hash = ?`;

export const licenseSql = `
  SELECT l.id, l.tenant_id, l.customer_id, l.type, l.tier, l.status, l.max_activations, l.valid_until,
    l.grace_period_seconds, l.features, l.max_version, l.max_uses, l.current_uses, l.suspended_at, l.revoked_at,
    k.key_enc, k.prefix AS key_prefix,
    p.id AS product_id, p.name AS product_name, p.slug AS product_slug, p.status AS product_status, p.licensing_mode,
    p.critical_updates_for_expired,
    o.id AS policy_id, o.entitlements, o.grace_period_seconds AS policy_grace, o.max_version AS policy_version,
    o.max_uses AS policy_uses, o.heartbeat_interval, o.default_lease_duration, o.max_deactivations,
    o.deactivation_window_days, o.offline_max_ttl_seconds, o.trial_reuse,
    a.id AS activation_id, a.kind, a.machine_name, a.activated_at, a.last_seen_at, a.lease_expires_at,
    (SELECT count(*) FROM license_activations x WHERE x.license_id = l.id AND x.ended_at IS NULL
      AND (x.lease_expires_at IS NULL OR x.lease_expires_at > ?)) AS used
  FROM license_keys k
  JOIN licenses l ON l.id = k.license_id
  JOIN license_products p ON p.id = l.product_id
  LEFT JOIN license_policies o ON o.id = coalesce(l.policy_id, p.policy_id)
  LEFT JOIN license_activations a ON a.license_id = l.id AND a.ended_at IS NULL AND a.machine_id = ?
  WHERE k.kind = 'CURRENT' AND l.deleted_at IS NULL AND k.digest = ? AND l.tenant_id = ?`;

/** Postgres numbers its parameters. */
export function numbered(sql: string): string {
  let number = 0;
  return sql.replaceAll('?', () => `$${++number}`);
}

/** The form of validate's answer; the rules that make it are what the limit leaves out. */
export function answerOf(row: Row | undefined, body: { licenseKey: string; machineId: string }, now: string) {
  const valid = row?.status === 'ACTIVE' && row.activation_id !== null;
  return {
    success: true,
    valid,
    status: row?.status ?? null,
    code: valid ? 'VALID' : 'NOT_FOUND',
    message: valid ? 'License is valid' : 'License not found',
    license: row && {
      key: body.licenseKey,
      product: row.product_name,
      tier: row.tier,
      type: row.type,
      validUntil: row.valid_until,
      activationsUsed: Number(row.used),
      maxActivations: row.max_activations,
      features: fromJson(row.features) ?? fromJson(row.entitlements),
    },
    activation: row && {
      machineId: body.machineId,
      machineName: row.machine_name,
      activatedAt: row.activated_at,
    },
    serverTime: now,
    licensingMode: row?.licensing_mode,
  };
}

/** SQLite holds JSON as text. */
const fromJson = (value: unknown): unknown => (typeof value === 'string' ? JSON.parse(value) : value);

export function send(res: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  res.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
  res.end(text);
}

/** The whole body of a request. */
export function readBody(req: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    req.setEncoding('utf8');
    req.on('data', (chunk: string) => {
      text += chunk;
    });
    req.on('end', () => resolve(text));
  });
}

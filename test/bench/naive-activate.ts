// Target (f): activate as it is usually written, one transaction per request with one knex query per thing.
import type { Knex } from 'knex';
import { newId } from '#kernel/ids.ts';
import { canonicalKey } from '#licensing/catalog/key-formats/index.ts';
import { fromJson, startNaive } from './naive.ts';

interface ActivateBody {
  licenseKey: string;
  machineId: string;
  machineName?: string;
}

const { app, knex, keyring, requireApiKey } = await startNaive();

app.post('/api/v1/license/activate', requireApiKey, async (req, res) => {
  const body = req.body as ActivateBody;
  const answer = await knex.transaction((trx) => activate(trx, body));
  if (answer === null) res.status(409).json({ success: false, error: { code: 'ACTIVATION_FAILED' } });
  else res.json({ success: true, ...answer });
});

async function activate(trx: Knex.Transaction, { licenseKey, machineId, machineName }: ActivateBody) {
  const digest = keyring.digest('lookup', canonicalKey(licenseKey));
  const key = await trx('license_keys').where({ digest, kind: 'CURRENT' }).first();
  if (!key) return null;
  const license = await trx('licenses')
    .where({ id: key.license_id })
    .whereNull('deleted_at')
    .forUpdate()
    .first();
  const product = await trx('license_products').where({ id: license.product_id }).first();
  const policy = await trx('license_policies')
    .where({ id: license.policy_id ?? product.policy_id })
    .first();
  const live = () => trx('license_activations').where({ license_id: license.id }).whereNull('ended_at');
  const held = await live().where({ machine_id: machineId }).first();
  const counted = await live().count({ n: '*' }).first();
  const used = Number(counted?.n ?? 0);
  const isFull = held === undefined && used >= license.max_activations;
  if (license.status !== 'ACTIVE' || isFull) return null;
  const activation = held ?? (await insert(trx, license, machineId, machineName ?? null));
  const features = {
    ...(fromJson(policy?.entitlements) as object),
    ...(fromJson(license.features) as object),
  };
  return {
    message: 'License activated',
    license: {
      key: licenseKey,
      product: product.name,
      tier: license.tier,
      type: license.type,
      validUntil: license.valid_until,
      activationsUsed: held ? used : used + 1,
      maxActivations: license.max_activations,
      features,
    },
    activation: { machineId, machineName: activation.machine_name, activatedAt: activation.activated_at },
  };
}

/** Writes the activation and its line in the timeline, the two rows that the program writes too. */
async function insert(
  trx: Knex.Transaction,
  license: { id: string; tenant_id: string },
  machineId: string,
  machineName: string | null,
) {
  const nowMs = Date.now();
  const now = new Date(nowMs).toISOString();
  const activation = {
    id: newId('act', nowMs),
    tenant_id: license.tenant_id,
    license_id: license.id,
    kind: 'NODE',
    machine_id: machineId,
    machine_name: machineName,
    activated_at: now,
    last_seen_at: now,
    created_at: now,
  };
  await trx('license_activations').insert(activation);
  await trx('events').insert({
    id: newId('evt', nowMs),
    type: 'LICENSE_ACTIVATED',
    service: 'license',
    tenant_id: license.tenant_id,
    subject: license.id,
    at: now,
    actor_kind: 'api_key',
    data: JSON.stringify({ machineId, machineName }),
  });
  return activation;
}

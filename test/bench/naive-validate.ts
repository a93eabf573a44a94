// Target (e): validate as it is usually written, one knex query per thing that it needs.
import { canonicalKey } from '#licensing/catalog/key-formats/index.ts';
import { fromJson, startNaive } from './naive.ts';

const { app, knex, keyring, requireApiKey } = await startNaive();

app.post('/api/v1/license/validate', requireApiKey, async (req, res) => {
  const { licenseKey, machineId } = req.body as { licenseKey: string; machineId: string };
  const digest = keyring.digest('lookup', canonicalKey(licenseKey));
  const license = await knex('licenses')
    .join('license_keys', 'license_keys.license_id', 'licenses.id')
    .where({ 'license_keys.digest': digest, 'license_keys.kind': 'CURRENT' })
    .whereNull('licenses.deleted_at')
    .first('licenses.*');
  if (!license) {
    res.json({ success: true, valid: false, code: 'NOT_FOUND', license: null, activation: null });
    return;
  }
  const product = await knex('license_products').where({ id: license.product_id }).first();
  const policy = await knex('license_policies')
    .where({ id: license.policy_id ?? product.policy_id })
    .first();
  const activation = await knex('license_activations')
    .where({ license_id: license.id, machine_id: machineId })
    .whereNull('ended_at')
    .first();
  const counted = await knex('license_activations')
    .where({ license_id: license.id })
    .whereNull('ended_at')
    .count({ n: '*' })
    .first();
  const now = new Date().toISOString();
  const isExpired = license.valid_until !== null && license.valid_until <= now;
  const valid = license.status === 'ACTIVE' && !isExpired && activation !== undefined;
  const features = {
    ...(fromJson(policy?.entitlements) as object),
    ...(fromJson(license.features) as object),
  };
  res.json({
    success: true,
    valid,
    status: isExpired ? 'EXPIRED' : license.status,
    code: valid ? 'VALID' : 'NOT_ACTIVATED',
    message: valid ? 'License is valid' : 'License is not valid on this machine',
    license: {
      key: licenseKey,
      product: product.name,
      tier: license.tier,
      type: license.type,
      validUntil: license.valid_until,
      activationsUsed: Number(counted?.n ?? 0),
      maxActivations: license.max_activations,
      features,
    },
    activation: activation
      ? { machineId, machineName: activation.machine_name, activatedAt: activation.activated_at }
      : null,
    serverTime: now,
    licensingMode: product.licensing_mode,
  });
});

/**
 * A certificate that a server shows until an authority has issued one: it signs itself, so that nobody takes it for the
 * real one, but the server answers, and the authority finds its proof.
 *
 * @returns PEM of the certificate and its key
 */
export async function placeholderFor(name: string): Promise<{ cert: string; key: string }> {
  const { crypto } = await import('acme-client');
  const authorization = { identifier: { type: 'dns', value: name } };
  const made = await crypto.createAlpnCertificate(
    authorization as Parameters<typeof crypto.createAlpnCertificate>[0],
    'none',
    await crypto.createPrivateEcdsaKey(),
  );
  const [key, cert] = made.map((part) => part.toString());
  return { cert: cert as string, key: key as string };
}

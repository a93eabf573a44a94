// Addresses that nobody may send to, in every spelling of reliability section 5.8, and a few that everybody may.

/** 127.0.0.1 in disguise (A111). */
export const loopbackHosts = [
  ...['127.0.0.1', '127.1', '127.0.1', '0x7f.1', '0x7f000001', '0177.0.0.1', '017700000001', '2130706433'],
  ...['00000177.1', '①②⑦.⓪.⓪.①', '127。0。0。1', '%31%32%37.0.0.1', '127.0.0.1.', '１２７.0.0.1'],
  ...['0X7F.0.0.0x1', '127.0x0.00.1'],
] as const;

/** This machine by other addresses. */
export const otherLocalHosts = [
  ...['[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::]', '[0:0:0:0:0:0:0:1]', '[::127.0.0.1]'],
  ...['0', '0.0.0.0'],
] as const;

/** Private, special and transition addresses (A113, A115, A117). */
export const privateHosts = [
  ...['10.0.0.1', '10.9.9.9', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1'],
  ...['169.254.169.254', '198.18.0.1', '192.0.0.192', '192.0.2.1', '203.0.113.1', '192.88.99.1'],
  ...['100.100.100.200', '224.0.0.1', '255.255.255.255', '0xa9fea9fe', '2852039166', '0251.0376.0251.0376'],
  ...['[64:ff9b::7f00:1]', '[64:ff9b::8.8.8.8]', '[64:ff9b:1::1]', '[2002:7f00:1::]', '[2001:0:7f00:1::]'],
  ...['[fd00:ec2::254]', '[fe80::1]', '[ff02::1]', '[2001:db8::1]', '[4000::1]', '[::ffff:169.254.169.254]'],
] as const;

/** Names that mean something only inside (A117). */
export const insideNames = [
  ...['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'printer.local', 'metadata.google.internal'],
  ...['router.home.arpa', 'intranet', 'intranet.', 'ⓛocalhost'],
] as const;

/** Texts that are no address, with what is said about them (A123, A125). */
export const malformed: readonly (readonly [text: string, reason: RegExp])[] = [
  ['file:///etc/passwd', /not an https URL/],
  ['gopher://127.0.0.1:6379/_x', /not an https URL/],
  ['ftp://127.0.0.1/', /not an https URL/],
  ['data:text/plain,x', /not an https URL/],
  ['javascript:alert(1)', /not an https URL/],
  ['http:127.0.0.1', /not an https URL/],
  ['https:127.0.0.1', /not an https URL/],
  ['https:/127.0.0.1', /not an https URL/],
  ['https:///127.0.0.1', /not an https URL/],
  ['https:example.com', /not an https URL/],
  ['//127.0.0.1/', /not an https URL/],
  ['127.0.0.1', /not an https URL/],
  ['https://', /not an https URL/],
  ['https://?x', /not an https URL/],
  ['https://[::1', /not an https URL/],
  ['https://[fe80::1%25eth0]/', /not an https URL/],
  ['https://127.0.0.256/', /not an https URL/],
  ['https://127.0.0.1:99999/', /not an https URL/],
  ['https://127.0.0.1\r\nX-A: b/', /space or a control/],
  ['https://127.0.\t0.1/', /space or a control/],
  ['https://127.0.0.1/a b', /space or a control/],
  [' https://127.0.0.1/', /space or a control/],
  ['https://127.0.0.1/\u0000', /space or a control/],
  ['https://127.0.0.1/\u0085', /space or a control/],
  ['https://127.0.0.1/\u2028', /space or a control/],
  ['https://127.0.0.1/\u00a0', /space or a control/],
  ['http://127.0.0.1\\@example.com/', /backslash/],
  ['https:\\\\127.0.0.1/', /backslash/],
  ['https://user:pw@example.com/', /user name or a password/],
  ['https://good@127.0.0.1/', /user name or a password/],
  ['https://example.com@127.0.0.1/', /user name or a password/],
  ['https://@127.0.0.1/', /user name or a password/],
  ['https://127.0.0.1..nip.example.com/', /no valid host name/],
  ['https://example.com../', /no valid host name/],
  ['https://-a.example.com/', /no valid host name/],
  ['https://a,b.example.com/', /no valid host name/],
  [`https://${'a'.repeat(64)}.example.com/`, /no valid host name/],
  [`https://${'a.'.repeat(126)}example.com/`, /no valid host name/],
  ['https://example.com/'.padEnd(2049, 'x'), /longer than 2048/],
];

/** Ports at which something other than a web server listens. */
export const closedPorts = [0, 22, 25, 79, 81, 444, 1023, 1433, 2375, 3306, 5432, 6379, 9200, 11_211, 27_017];

/** Addresses beside private ranges (A113). */
export const publicHosts = [
  ...['172.15.0.1', '172.32.0.1', '100.128.0.1', '198.20.0.1', '[2606:4700::1111]'],
] as const;

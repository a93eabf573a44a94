export { type OwnLicense, ownLicense, ownLicenses } from './owned.ts';

import { testPage } from './run-page.ts';

testPage('serve-several-tenants');

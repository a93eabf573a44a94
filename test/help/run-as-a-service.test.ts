import { testPage } from './run-page.ts';

testPage('run-as-a-service');

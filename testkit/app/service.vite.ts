import { defineConfig, mergeConfig } from 'vite';
import service from '../../scripts/service.vite.ts';

/** The service for tests in a few files, as the product's is. What it starts beside itself is the product's (dist/programs). */
export default defineConfig(mergeConfig(service, { build: { ssr: 'testkit/app/service.ts', outDir: 'dist-test' } }));

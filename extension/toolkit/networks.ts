/** Connections that a tab can pretend to have: bytes a second each way, and milliseconds that each answer takes longer. */
export const NETWORKS = {
  online: null,
  offline: { offline: true, latency: 0, downloadThroughput: 0, uploadThroughput: 0 },
  'slow-3g': { offline: false, latency: 2_000, downloadThroughput: 50_000, uploadThroughput: 50_000 },
  'fast-3g': { offline: false, latency: 560, downloadThroughput: 180_000, uploadThroughput: 84_000 },
  'fast-4g': { offline: false, latency: 165, downloadThroughput: 1_012_500, uploadThroughput: 168_750 },
} as const;

# One image for all roles: `docker run IMAGE api`, `actors`, `market`, `jobs`; several names, or none for all in one process.
# NODE_IMAGE_DIGEST=@sha256:… ties the build to one image.
ARG NODE_IMAGE_DIGEST=""
ARG REDIS_IMAGE_DIGEST=""
ARG MONGO_IMAGE_DIGEST=""
FROM node:22.23.3-bookworm-slim${NODE_IMAGE_DIGEST} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ./
COPY tools/start tools/start
COPY tools/dashboard tools/dashboard
COPY src src
RUN npm run build && npm prune --omit=dev

# `docker build --target ci -t paper-perps-ci .`: an exchange for tests with its stores (docs/control.md). It serves loopback alone, so it
# runs with `--network host`, or is the container in which the tests run.
FROM redis:7.4.6-bookworm${REDIS_IMAGE_DIGEST} AS redis
FROM mongo:7.0.32${MONGO_IMAGE_DIGEST} AS mongo
FROM node:22.23.3-bookworm-slim${NODE_IMAGE_DIGEST} AS ci
RUN apt-get update && apt-get install -y --no-install-recommends libcurl4 liblzma5 libssl3 && rm -rf /var/lib/apt/lists/*
COPY --from=redis /usr/local/bin/redis-server /usr/local/bin/
COPY --from=mongo /usr/bin/mongod /usr/local/bin/
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY bin bin
COPY tools/start tools/start
COPY tools/mongo tools/mongo
COPY tools/scenario tools/scenario
COPY examples/scenarios examples/scenarios
USER node
ENTRYPOINT ["node", "tools/start/main.mjs", "--ci"]

FROM node:22.23.3-bookworm-slim${NODE_IMAGE_DIGEST}
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
USER node
EXPOSE 3000
ENTRYPOINT ["node", "--enable-source-maps", "dist/main.js"]

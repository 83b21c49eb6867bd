// Runs a learner of MOA over a stream held in memory: predict, compare, train, row by row.
//
// Started by benchmarks/moa/__init__.py, which also describes the binary stream:
//   java -cp moa.jar MoaRunner.java STREAM LEARNER [--repetitions R] [--predictions FILE] [--predict-passes P]
//       [--orders FILE] [--paced 1]
// Prints one JSON object per line: a "learn" record for each repetition (a fresh learner every time, in one JVM, so
// that the later ones run compiled code), then a "predict" record for each pass over the rows with the last learner,
// then an "order" record of a fresh learner for each order of the rows in FILE (int32 row numbers, one order after the
// other); these are for their outcome, as rows that lie scattered in memory take longer.
// With --paced, each repetition and each pass waits for a line of standard input, so that others can run in turns.
// All instances are built before any clock starts. CPU seconds are those of the learning thread alone: the threads
// of the JIT compiler and the garbage collector are left out.
//
//   java -cp moa.jar MoaRunner.java detect INPUTS DETECTOR LEVELS
// feeds a drift detector of MOA: INPUTS holds little-endian doubles, LEVELS gets one byte for each, 0 in control,
// 1 warning, 2 change.

import com.yahoo.labs.samoa.instances.Attribute;
import com.yahoo.labs.samoa.instances.DenseInstance;
import com.yahoo.labs.samoa.instances.Instance;
import com.yahoo.labs.samoa.instances.Instances;
import com.yahoo.labs.samoa.instances.InstancesHeader;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import moa.classifiers.Classifier;
import moa.classifiers.active.ALClassifier;
import moa.classifiers.active.ALRandom;
import moa.classifiers.active.ALUncertainty;
import moa.classifiers.core.driftdetection.ChangeDetector;
import moa.core.Measurement;
import moa.options.ClassOption;
import moa.options.OptionHandler;

public final class MoaRunner {
    private static final String MAGIC = "SAPWMOA1";
    private static final int CHUNK_BYTES = 1 << 20;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** The rows as MOA's instances, with the labels beside them for the comparison. */
    private record Stream(InstancesHeader header, Instance[] rows, int[] labels) {}

    /** What one timed loop cost. */
    private record Cost(int correct, long wallNanos, long cpuNanos) {}

    private record Arguments(Path stream, String learner, int repetitions, Path predictions, int predictPasses,
            Path orders, boolean paced) {}

    public static void main(String[] args) {
        PrintStream results = System.out;
        System.setOut(System.err); // whatever a learner prints must not mix with the results
        try {
            if (args.length > 0 && args[0].equals("detect")) {
                detect(args);
            } else {
                run(parse(args), results);
            }
        } catch (Exception | OutOfMemoryError error) {
            System.err.print("MoaRunner: ");
            error.printStackTrace();
            System.exit(1);
        }
    }

    private static Arguments parse(String[] args) {
        if (args.length < 2 || args.length % 2 != 0) {
            throw new IllegalArgumentException(
                    "usage: STREAM LEARNER [--repetitions R] [--predictions FILE] [--predict-passes P]"
                            + " [--orders FILE] [--paced 1]");
        }
        int repetitions = 1;
        int predictPasses = 0;
        Path predictions = null;
        Path orders = null;
        boolean paced = false;
        for (int i = 2; i < args.length; i += 2) {
            switch (args[i]) {
                case "--repetitions" -> repetitions = Integer.parseInt(args[i + 1]);
                case "--predictions" -> predictions = Path.of(args[i + 1]);
                case "--predict-passes" -> predictPasses = Integer.parseInt(args[i + 1]);
                case "--orders" -> orders = Path.of(args[i + 1]);
                case "--paced" -> paced = args[i + 1].equals("1");
                default -> throw new IllegalArgumentException("unknown option " + args[i]);
            }
        }
        if (repetitions < 1 || predictPasses < 0) {
            throw new IllegalArgumentException("repetitions must be at least 1, predict passes at least 0");
        }
        return new Arguments(Path.of(args[0]), args[1], repetitions, predictions, predictPasses, orders, paced);
    }

    /** A warning is read after a change, as SingleClassifierDrift reads the two. */
    private static void detect(String[] args) throws Exception {
        if (args.length != 4) {
            throw new IllegalArgumentException("usage: detect INPUTS DETECTOR LEVELS");
        }
        ChangeDetector detector = (ChangeDetector) ClassOption.cliStringToObject(args[2], ChangeDetector.class, null);
        ((OptionHandler) detector).prepareForUse();
        ByteBuffer inputs = ByteBuffer.wrap(Files.readAllBytes(Path.of(args[1]))).order(ByteOrder.LITTLE_ENDIAN);
        byte[] levels = new byte[inputs.remaining() / Double.BYTES];
        for (int i = 0; i < levels.length; i++) {
            detector.input(inputs.getDouble());
            levels[i] = (byte) (detector.getWarningZone() ? 1 : detector.getChange() ? 2 : 0);
        }
        Files.write(Path.of(args[3]), levels);
    }

    private static void run(Arguments arguments, PrintStream results) throws Exception {
        Classifier learner = create(arguments.learner()); // a bad learner fails before the stream is read
        Stream stream = read(arguments.stream());
        int[] predicted = new int[stream.labels().length];
        BufferedReader pace = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (int repetition = 0; repetition < arguments.repetitions(); repetition++) {
            learner = create(arguments.learner(), stream);
            System.gc();
            if (arguments.paced()) {
                pace.readLine();
            }
            Cost cost = testThenTrain(learner, stream, predicted);
            results.println(json("learn", repetition, cost, predicted.length, measurements(learner)));
            results.flush();
        }
        if (arguments.predictions() != null) {
            write(arguments.predictions(), predicted);
        }
        for (int pass = 0; pass < arguments.predictPasses(); pass++) {
            if (arguments.paced()) {
                pace.readLine();
            }
            Cost cost = predictOnly(learner, stream);
            results.println(json("predict", pass, cost, predicted.length, ""));
            results.flush();
        }
        if (arguments.orders() != null) {
            IntBuffer orders = ByteBuffer.wrap(Files.readAllBytes(arguments.orders()))
                    .order(ByteOrder.LITTLE_ENDIAN).asIntBuffer();
            for (int index = 0; orders.remaining() >= predicted.length; index++) {
                learner = create(arguments.learner(), stream);
                Cost cost = testThenTrain(learner, reordered(stream, orders), predicted);
                results.println(json("order", index, cost, predicted.length, measurements(learner)));
            }
        }
        results.flush();
    }

    private static Classifier create(String cli) throws Exception {
        Classifier learner = (Classifier) ClassOption.cliStringToObject(cli, Classifier.class, null);
        learner.prepareForUse();
        return learner;
    }

    private static Classifier create(String cli, Stream stream) throws Exception {
        Classifier learner = create(cli);
        learner.setModelContext(stream.header());
        learner.resetLearning();
        return learner;
    }

    private static Stream reordered(Stream stream, IntBuffer order) {
        Instance[] rows = new Instance[stream.rows().length];
        int[] labels = new int[rows.length];
        for (int i = 0; i < rows.length; i++) {
            int from = order.get();
            rows[i] = stream.rows()[from];
            labels[i] = stream.labels()[from];
        }
        return new Stream(stream.header(), rows, labels);
    }

    private static Cost testThenTrain(Classifier learner, Stream stream, int[] predicted) {
        Instance[] rows = stream.rows();
        int[] labels = stream.labels();
        int correct = 0;
        long cpu = THREADS.getCurrentThreadCpuTime();
        long wall = System.nanoTime();
        for (int i = 0; i < rows.length; i++) {
            int guess = argmax(learner.getVotesForInstance(rows[i]));
            predicted[i] = guess;
            if (guess == labels[i]) {
                correct++;
            }
            learner.trainOnInstance(rows[i]);
        }
        wall = System.nanoTime() - wall;
        return new Cost(correct, wall, THREADS.getCurrentThreadCpuTime() - cpu);
    }

    private static Cost predictOnly(Classifier learner, Stream stream) {
        Instance[] rows = stream.rows();
        int[] labels = stream.labels();
        int correct = 0;
        long cpu = THREADS.getCurrentThreadCpuTime();
        long wall = System.nanoTime();
        for (int i = 0; i < rows.length; i++) {
            if (argmax(learner.getVotesForInstance(rows[i])) == labels[i]) {
                correct++;
            }
        }
        wall = System.nanoTime() - wall;
        return new Cost(correct, wall, THREADS.getCurrentThreadCpuTime() - cpu);
    }

    /** The first index of the greatest vote; class 0 when there are no votes. */
    private static int argmax(double[] votes) {
        int best = 0;
        if (votes != null) {
            for (int i = 1; i < votes.length; i++) {
                if (votes[i] > votes[best]) {
                    best = i;
                }
            }
        }
        return best;
    }

    private static Stream read(Path path) throws IOException {
        try (FileChannel file = FileChannel.open(path)) {
            ByteBuffer head = buffer(MAGIC.length() + 16);
            fill(file, head);
            byte[] magic = new byte[MAGIC.length()];
            head.get(magic);
            if (!MAGIC.equals(new String(magic, StandardCharsets.US_ASCII))) {
                throw new IOException(path + " is not a stream file");
            }
            int n = Math.toIntExact(head.getLong());
            int d = head.getInt();
            int classes = head.getInt();
            long expected = head.capacity() + 4L * d + 8L * n * d + 4L * n;
            if (file.size() != expected) {
                throw new IOException(path + " has " + file.size() + " bytes, its header says " + expected);
            }
            InstancesHeader header = header(file, d, classes);
            Instance[] rows = new Instance[n];
            double[][] values = readMatrix(file, n, d);
            int[] labels = readLabels(file, n);
            for (int i = 0; i < n; i++) {
                values[i][d] = labels[i];
                rows[i] = new DenseInstance(1.0, values[i]);
                rows[i].setDataset(header);
            }
            return new Stream(header, rows, labels);
        }
    }

    /** One int per column: 0 for a numeric one, else the number of values of a nominal one. */
    private static InstancesHeader header(FileChannel file, int d, int classes) throws IOException {
        ByteBuffer kinds = buffer(4 * d);
        fill(file, kinds);
        List<Attribute> attributes = new ArrayList<>();
        for (int j = 0; j < d; j++) {
            int values = kinds.getInt();
            attributes.add(values == 0 ? new Attribute("x" + j) : new Attribute("x" + j, names("v", values)));
        }
        attributes.add(new Attribute("class", names("c", classes)));
        InstancesHeader header = new InstancesHeader(new Instances("stream", attributes, 0));
        header.setClassIndex(d);
        return header;
    }

    private static List<String> names(String prefix, int count) {
        List<String> names = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            names.add(prefix + i);
        }
        return names;
    }

    /** Each row gets one more place at its end, for the class. */
    private static double[][] readMatrix(FileChannel file, int n, int d) throws IOException {
        double[][] matrix = new double[n][d + 1];
        int perChunk = Math.max(1, CHUNK_BYTES / (8 * Math.max(1, d)));
        for (int start = 0; start < n; start += perChunk) {
            int end = Math.min(n, start + perChunk);
            ByteBuffer chunk = buffer(8 * d * (end - start));
            fill(file, chunk);
            for (int i = start; i < end; i++) {
                chunk.asDoubleBuffer().get(matrix[i], 0, d);
                chunk.position(chunk.position() + 8 * d);
            }
        }
        return matrix;
    }

    private static int[] readLabels(FileChannel file, int n) throws IOException {
        ByteBuffer bytes = buffer(4 * n);
        fill(file, bytes);
        int[] labels = new int[n];
        bytes.asIntBuffer().get(labels);
        return labels;
    }

    private static ByteBuffer buffer(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static void fill(FileChannel file, ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            if (file.read(buffer) < 0) {
                throw new IOException("the stream file ends early");
            }
        }
        buffer.flip();
    }

    private static void write(Path path, int[] predicted) throws IOException {
        ByteBuffer bytes = buffer(4 * predicted.length);
        bytes.asIntBuffer().put(predicted);
        Files.write(path, bytes.array());
    }

    /** Labels asked for, leaves (each null if the learner reports none) and all else that it measures of itself. */
    private static String measurements(Classifier learner) {
        StringBuilder all = new StringBuilder();
        String leaves = "null";
        String labels = "null";
        if (learner instanceof ALClassifier active) {
            labels = Integer.toString(active.getLastLabelAcqReport()); // since the last report: in all
        }
        Measurement[] measured = base(learner).getModelMeasurements();
        for (Measurement one : measured == null ? new Measurement[0] : measured) {
            if (one.getName().equals("tree size (leaves)")) {
                leaves = Long.toString(Math.round(one.getValue()));
            }
            all.append(all.length() == 0 ? "" : ", ").append(quote(one.getName())).append(": ");
            all.append(number(one.getValue()));
        }
        return ", \"leaves\": " + leaves + ", \"labels\": " + labels + ", \"measurements\": {" + all + "}";
    }

    /** The learner under an active one, which reports nothing of it; else the learner itself. */
    private static Classifier base(Classifier learner) {
        if (learner instanceof ALUncertainty active) {
            return active.classifier;
        }
        return learner instanceof ALRandom active ? active.classifier : learner;
    }

    private static String json(String kind, int index, Cost cost, int n, String extra) {
        double wall = cost.wallNanos() / 1e9;
        double cpu = cost.cpuNanos() / 1e9;
        return String.format(
                Locale.ROOT,
                "{\"kind\": \"%s\", \"index\": %d, \"examples\": %d, \"correct\": %d, \"accuracy\": %s, "
                        + "\"seconds\": %s, \"cpu_seconds\": %s, \"examples_per_second\": %s, "
                        + "\"examples_per_cpu_second\": %s%s}",
                kind, index, n, cost.correct(), number((double) cost.correct() / n), number(wall), number(cpu),
                number(n / wall), number(n / cpu), extra);
    }

    private static String number(double value) {
        return Double.isNaN(value) || Double.isInfinite(value) ? "null" : Double.toString(value);
    }

    private static String quote(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}

package portal

// Rows of the demo that examples of nested paths use. They are those of its
// first device.
const (
	sampleDevice           int64 = 1
	sampleDeviceDataSource int64 = 1
	sampleInstance         int64 = 1
	sampleInstanceGroup    int64 = 1
	sampleGroup            int64 = 8
	sampleDataSource       int64 = 1
	sampleDataPoint        int64 = 1001
	sampleInstancePoint    int64 = 7001 // a data point of the instance
)
